//! Work that waits for the disk or takes milliseconds, kept from the threads that serve others.

/// Runs the work where it is called, without keeping other tasks from the thread where the runtime
/// has other threads.
pub(super) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    let has_others = tokio::runtime::Handle::try_current()
        .is_ok_and(|handle| handle.runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread);
    if has_others {
        tokio::task::block_in_place(work)
    } else {
        work()
    }
}
