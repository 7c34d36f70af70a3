"""Simulated payment providers, written from their public documents: YooKassa's API v3 and Crypto Pay.

Each is one application that the sandbox mounts under a prefix of its Kie port. Both share a payment page, the sender of
notices, and the control routes under `/sandbox/`.
"""
