//! The broker's process, where it is on this machine: for what of the processor it takes.

use std::path::Path;

/// The id of the process that listens at the first of these addresses, if it is one of this machine
/// and the system tells.
pub fn local_broker(bootstrap: &str) -> Option<u32> {
    let first = bootstrap.split(',').next()?.trim();
    let (host, port) = first.rsplit_once(':')?;
    if !matches!(host, "localhost" | "127.0.0.1" | "[::1]") {
        return None;
    }
    let port: u16 = port.parse().ok()?;
    let socket = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .find_map(|table| listening(&std::fs::read_to_string(table).ok()?, port))?;
    let socket = format!("socket:[{socket}]");
    let mut processes = std::fs::read_dir("/proc").ok()?.flatten();
    processes.find_map(|process| {
        let id = process.file_name().to_str()?.parse().ok()?;
        has_open(&process.path().join("fd"), &socket).then_some(id)
    })
}

/// The number of the socket that listens at a port, from the system's table.
fn listening(table: &str, port: u16) -> Option<String> {
    const LISTENS: &str = "0A";
    let port = format!(":{port:04X}");
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_it = fields.get(1)?.ends_with(&port) && *fields.get(3)? == LISTENS;
        is_it.then(|| fields.get(9).map(|inode| (*inode).to_owned()))?
    })
}

fn has_open(folder: &Path, socket: &str) -> bool {
    let Ok(files) = std::fs::read_dir(folder) else {
        return false;
    };
    let mut targets = files
        .flatten()
        .filter_map(|file| std::fs::read_link(file.path()).ok());
    targets.any(|target| target.as_os_str() == socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        assert_eq!(local_broker(&address), Some(std::process::id()));
        drop(listener);
        assert_eq!(local_broker(&address), None);
        assert_eq!(local_broker("kafka.example:9092"), None);
    }
}
