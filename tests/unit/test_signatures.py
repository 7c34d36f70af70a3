"""Who may say something about a job."""

from photomat.kernel.ids import JobId
from photomat.kie.signature import SIGNATURE_HEADER, TIMESTAMP_HEADER, job_of, kie_signature, sign_job, signed_by_kie

TASK = "0123456789abcdef0123456789abcdef"
KEY = "whsec_test_key_0001"
KNOWN = "5oU5tjsv64lZdJ8zsIxAHSfdHpYesJslOYpRO8ZGHYg="


def test_kies_published_vector_is_reproduced() -> None:
    assert kie_signature(TASK, "1760000000", KEY) == KNOWN


def test_kies_signature_is_accepted_while_fresh() -> None:
    headers = {TIMESTAMP_HEADER: "1760000000", SIGNATURE_HEADER: KNOWN}
    assert signed_by_kie(TASK, headers, KEY, now_s=1760000299)
    assert not signed_by_kie(TASK, headers, KEY, now_s=1760000301)
    assert not signed_by_kie(TASK, headers, "another key", now_s=1760000000)
    assert not signed_by_kie("another task", headers, KEY, now_s=1760000000)


def test_junk_in_kies_headers_is_refused() -> None:
    for timestamp in ("", "abc", "-1", "1" * 40, "١٢٣"):
        headers = {TIMESTAMP_HEADER: timestamp, SIGNATURE_HEADER: kie_signature(TASK, timestamp, KEY)}
        assert not signed_by_kie(TASK, headers, KEY, now_s=1760000000)
    assert not signed_by_kie(TASK, {}, KEY, now_s=1760000000)


def test_an_address_names_its_job_and_no_other() -> None:
    secrets = [b"first", b"second"]
    token = sign_job(JobId(7), secrets)
    assert job_of(token, secrets) == 7
    assert job_of(token, [b"second"]) is None
    assert job_of("8." + token.partition(".")[2], secrets) is None
    assert job_of(sign_job(JobId(7), [b"second"]), secrets) == 7, "an older secret stays valid"


def test_junk_addresses_name_no_job() -> None:
    for token in ("", ".", "7", "7.", "x.y", "-7.a", "٧.a", "9" * 40 + ".a", "7.é"):
        assert job_of(token, [b"secret"]) is None
