"""The places of results, made from the settings. Imports no aiogram."""

from functools import lru_cache
from pathlib import Path

from photomat.app.settings import Settings
from photomat.storage.address import StoreAddress, folder_address, parse_address
from photomat.storage.places import ResultPlaces
from photomat.storage.store import BucketAccess, FileStore


def result_places(settings: Settings) -> ResultPlaces:
    """Always the same for the same settings, with what this process learned of the stores."""
    folder = folder_address(settings.results_folder)
    access = BucketAccess(
        endpoint=settings.aws_endpoint_url,
        region=settings.aws_region,
        key_id=settings.aws_access_key_id,
        secret=settings.aws_secret_access_key,
        token=settings.aws_session_token,
    )
    named = settings.results_store
    return _places(folder if named is None else parse_address(named), folder, settings.tmp_folder, access)


@lru_cache(maxsize=8)
def _places(address: StoreAddress, folder: StoreAddress, tmp: Path, access: BucketAccess) -> ResultPlaces:
    below = FileStore(folder)
    current = below if address == below.address else FileStore(address, access=access)
    return ResultPlaces(current=current, folder=below, tmp=tmp, access=access)
