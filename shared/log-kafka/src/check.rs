//! Refuses settings that can't be, or that would break what the log promises, before anything is asked
//! of a broker.

use mneme_log::LogError;
use reqwest::Url;

use crate::config::KafkaConfig;

/// What the guarantees rest on.
const FIXED: &[&str] = &[
    "acks",
    "bootstrap.servers",
    "client.id",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.idempotence",
    "enable.partition.eof",
    "group.id",
    "group.instance.id",
    "isolation.level",
    "max.poll.interval.ms",
    "message.max.bytes",
    "message.timeout.ms",
    "partition.assignment.strategy",
    "session.timeout.ms",
    "transaction.timeout.ms",
    "transactional.id",
];

impl KafkaConfig {
    /// An error names the setting and the fix.
    pub(crate) fn check(&self) -> Result<(), LogError> {
        let settings = self.settings.keys();
        let fixed = settings.filter(|key| FIXED.contains(&key.as_str()));
        let fixed = fixed.map(|key| {
            format!(
                "kafka.settings.{key} is fixed: the guarantees of the log rest on it; leave it out"
            )
        });
        let bootstrap = (!self.bootstrap.split(',').all(is_host_and_port)).then(|| {
            "kafka.bootstrap must be host:port, several with commas between them".to_owned()
        });
        let registry = (!is_http(&self.registry)).then(|| {
            "kafka.registry must be a URL such as http://127.0.0.1:8081; a user and a password go to \
             kafka.registry_user and kafka.registry_password"
                .to_owned()
        });
        match fixed.chain(bootstrap).chain(registry).next() {
            Some(reason) => Err(LogError::Broken(reason)),
            None => Ok(()),
        }
    }
}

fn is_host_and_port(broker: &str) -> bool {
    let is_of_host = |sign: char| sign.is_ascii_alphanumeric() || "-._[]:/".contains(sign);
    let is_host = |host: &str| !host.is_empty() && host.chars().all(is_of_host);
    let parts = broker.trim().rsplit_once(':');
    parts.is_some_and(|(host, port)| is_host(host) && port.parse::<u16>().is_ok())
}

fn is_http(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (text, named) in [
            ("[settings]\nacks = '1'", "kafka.settings.acks"),
            ("bootstrap = 'kafka'", "kafka.bootstrap"),
            ("bootstrap = 'one:9092,'", "kafka.bootstrap"),
            ("bootstrap = 'one:9092;two:9092'", "kafka.bootstrap"),
            (
                "bootstrap = 'SASL_SSL://me:hush@one:9092'",
                "kafka.bootstrap",
            ),
            ("registry = '127.0.0.1:8081'", "kafka.registry"),
            (
                "registry = 'http://me:hush@localhost:8081'",
                "kafka.registry",
            ),
        ] {
            let config: KafkaConfig = toml::from_str(text).unwrap();
            let refused = config.check().unwrap_err().to_string();
            assert!(refused.contains(named), "{text}: {refused}");
            assert!(!refused.contains("hush"));
        }
        let right = "bootstrap = 'one:9092, [::1]:9092'\nregistry = 'https://registry/apis/v7'";
        let config: KafkaConfig = toml::from_str(right).unwrap();
        config.check().unwrap();
        assert!(toml::from_str::<KafkaConfig>("bootstraps = 'a'").is_err());
    }
}
