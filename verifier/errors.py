"""Every error that this package raises on purpose.

    VerifierError
    ├── InputError                 the caller can fix it (exit 2, HTTP 422)
    │   ├── UnknownThing           a source, version, report … that does not exist (HTTP 404)
    │   ├── UnreadableDocument     a file or text that can't be read
    │   ├── VersionConflict        the current version is not the expected one
    │   ├── TenantRequired         no tenant was named
    │   ├── WrongEmbeddingSpace    a vector or model of another space
    │   ├── CatalogError           verifier.toml does not fit itself or the database
    │   └── SettingsError          a setting is missing or wrong
    ├── StoreError                 the database can't serve (exit 3, HTTP 503)
    │   ├── DatabaseUnavailable    no server answers, or the connection broke
    │   ├── DatabaseTimeout        a statement took longer than its limit
    │   ├── DatabaseReadOnly       a write was refused because the server only reads
    │   ├── MissingExtension       the database lacks pgvector
    │   └── SchemaMismatch         the schema is older or newer than this package
    └── ModelError                 a model can't be loaded or failed (exit 3, HTTP 503)

Each message names the thing that is wrong and says what to do about it.
"""


class VerifierError(Exception):
    """Any error of this package."""


class InputError(VerifierError):
    """What the caller passed can't be used; the message says how to mend it."""


class UnknownThing(InputError):
    """What the caller named does not exist."""


class UnreadableDocument(InputError):
    """A file or text can't be read as a document."""


class VersionConflict(InputError):
    """Another version became current since the caller looked."""


class TenantRequired(InputError):
    """The store was asked without a tenant; it never answers for all of them."""


class WrongEmbeddingSpace(InputError):
    """A vector or a model does not belong to the embedding space in use."""


class CatalogError(InputError):
    """The catalog contradicts itself or the database."""


class SettingsError(InputError):
    """A setting is missing, or has a value that can't be used."""


class StoreError(VerifierError):
    """The database can't serve."""


class DatabaseUnavailable(StoreError):
    """No server answers at the given address, or the connection broke."""


class DatabaseTimeout(StoreError):
    """A statement or the wait for a connection exceeded its limit."""


class DatabaseReadOnly(StoreError):
    """A write was refused because the server, or the role, only reads."""


class MissingExtension(StoreError):
    """The database has no pgvector, or one that is too old."""


class SchemaMismatch(StoreError):
    """The schema in the database is not the one that this package works with."""


class ModelError(VerifierError):
    """A model can't be loaded, or failed on its input."""
