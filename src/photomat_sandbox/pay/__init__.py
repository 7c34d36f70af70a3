"""Made-up payment providers, written from their public documents: YooKassa's API v3 and Crypto Pay.

Each is one application that the sandbox mounts under a prefix of its Kie port. Both share a page where a person pays, the
sender of notices, and the remote control under `/sandbox/`.
"""
