//! What can go wrong in a store, by what is to be done.

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Retry: the store is away or busy; nothing was changed.
    #[error("the store is away: {0}")]
    Unavailable(String),
    /// Die: the store is broken or was made by another version; the text says the way out.
    #[error("the store is broken: {0}")]
    Broken(String),
    /// Refuse: the request can't be answered as it is.
    #[error("{0}")]
    Refused(String),
}
