//! What things are called on Kafka: the namespace comes first, so that several memories can share a
//! cluster and an access rule can name a prefix.

use mneme_events::Topic;

/// The names of one namespace and instance.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    namespace: String,
    instance: String,
    topics: Vec<String>,
}

impl Names {
    pub fn new(namespace: &str, instance: &str) -> Result<Self, String> {
        for (what, name) in [("namespace", namespace), ("instance", instance)] {
            let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            if name.is_empty() || name.len() > 100 || !name.bytes().all(is_fine) {
                return Err(format!(
                    "the {what} '{name}' can't be used: it has 1 to 100 letters, digits, '-', '_' \
                     and '.'"
                ));
            }
        }
        let topic = |topic: Topic| {
            let own = topic.name().strip_prefix("mneme").unwrap_or(topic.name());
            format!("{namespace}{own}")
        };
        Ok(Self {
            namespace: namespace.to_owned(),
            instance: instance.to_owned(),
            topics: Topic::ALL.into_iter().map(topic).collect(),
        })
    }

    /// The name of a topic.
    pub fn topic(&self, topic: Topic) -> &str {
        // `Topic::ALL` is in the order of the variants (a test of the embedded log proves it).
        &self.topics[topic as usize]
    }

    /// The topic of a name.
    pub fn topic_of(&self, name: &str) -> Option<Topic> {
        let index = self.topics.iter().position(|topic| topic == name)?;
        Topic::ALL.get(index).copied()
    }

    /// Why a name can't be that of a producer's topic, if it can't: a topic of ours would feed on itself.
    pub fn refuse_producers(&self, name: &str) -> Option<String> {
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || name.len() > 249 || !name.bytes().all(is_fine) {
            return Some(format!(
                "'{name}' is no name of a topic: it has 1 to 249 letters, digits, '-', '_' and '.'"
            ));
        }
        let own = self.topic_of(name);
        own.map(|_| format!("'{name}' is a topic of Mneme's own, which is not mapped"))
    }

    /// The consumer group of a stage.
    pub fn group(&self, stage: &str) -> String {
        format!("{}-{stage}", self.namespace)
    }

    /// The transactional id of this instance of a role.
    pub fn transactional_id(&self, role: &str) -> String {
        format!("{}-{role}-{}", self.namespace, self.instance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_the_namespace() {
        let names = Names::new("acme", "a1").unwrap();
        assert_eq!(names.topic(Topic::Episodes), "acme.episodes.v1");
        assert_eq!(names.topic_of("acme.dlq.v1"), Some(Topic::DeadLetters));
        assert_eq!(names.topic_of("mneme.dlq.v1"), None);
        assert_eq!(names.group("extractor"), "acme-extractor");
        assert_eq!(names.refuse_producers("crm.contacts"), None);
        for bad in ["acme.dlq.v1", "acme.episodes.v1", "^crm.*", "", "a b"] {
            assert!(names.refuse_producers(bad).is_some(), "{bad}");
        }
        assert_eq!(names.transactional_id("extractor"), "acme-extractor-a1");
        let usual = Names::new("mneme", "0").unwrap();
        for topic in Topic::ALL {
            assert_eq!(usual.topic(topic), topic.name());
        }
        assert!(Names::new("a/b", "0").is_err());
    }
}
