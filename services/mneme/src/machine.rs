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

/// Waits until this process has nothing to do: writing out and merging go on for a while after an
/// ingest. Gives up after a minute.
pub async fn settle() -> anyhow::Result<()> {
    const LOOK: std::time::Duration = std::time::Duration::from_millis(500);
    // In hundredths of a second, as Linux counts them for processes: 3 of 50 in each core's time.
    const IDLE: u64 = 3;
    let mut before = processor_time("self")?;
    for _ in 0..120 {
        tokio::time::sleep(LOOK).await;
        let now = processor_time("self")?;
        if now - before <= IDLE {
            break;
        }
        before = now;
    }
    Ok(())
}

/// The processor time of a process so far, in hundredths of a second. `process` is its id or `self`.
pub fn processor_time(process: impl std::fmt::Display) -> std::io::Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name in parentheses may hold spaces; user and system time are the 12th and 13th after it.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields = after_name.split_whitespace().skip(11).take(2);
    Ok(fields.filter_map(|field| field.parse::<u64>().ok()).sum())
}
