//! What the operating system tells of this process and its files.

use std::path::Path;

/// The most memory that the process has had, in MiB; 0 where the system does not tell.
pub fn peak_memory_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kib.map_or(0.0, |kib| kib / 1_024.0)
}

/// The bytes of all files below a folder.
pub fn folder_bytes(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.metadata()?;
        bytes += if kind.is_dir() {
            folder_bytes(&entry.path())?
        } else {
            kind.len()
        };
    }
    Ok(bytes)
}
