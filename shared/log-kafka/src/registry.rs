//! The schema registry, which gives each schema a number that records begin with.
//!
//! Nothing is registered in passing: [`crate::apply_schemas`] does that when an operator asks for
//! it, everybody else looks numbers up. A registry that is away is an error that may be tried again,
//! never a reason to skip a record.

use std::error::Error;
use std::time::{Duration, Instant};

use mneme_log::LogError;
use reqwest::StatusCode;
use schema_registry_converter::async_impl::schema_registry::{
    SrSettings, get_schema_by_id, perform_sr_call,
};
use schema_registry_converter::error::SRCError;
use schema_registry_converter::schema_registry_common::{RawError, SchemaType, SrCall};

use crate::config::KafkaConfig;

/// How long one question may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How often a registry that is away is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// What the registry did not do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryError {
    /// It does not have that.
    #[error("the schema registry has no {0}")]
    Missing(String),
    /// The schema does not fit the versions before it.
    #[error("the schema of {0} is not compatible with the versions before it")]
    Incompatible(String),
    /// It is away, or busy.
    #[error("the schema registry is away: {0}")]
    Away(String),
    /// It refuses.
    #[error("the schema registry refuses: {0}")]
    Refused(String),
}

impl From<RegistryError> for LogError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Away(_) => Self::Unavailable(error.to_string()),
            _ => Self::Broken(error.to_string()),
        }
    }
}

/// A client of the registry.
#[derive(Debug, Clone)]
pub(crate) struct Registry {
    settings: SrSettings,
    http: reqwest::Client,
    base: String,
    user: Option<(String, Option<String>)>,
}

impl Registry {
    pub fn new(config: &KafkaConfig) -> Result<Self, LogError> {
        let base = config.registry.trim_end_matches('/').to_owned();
        let unusable = |error: &dyn Error| LogError::Broken(format!("{base}: {error}"));
        let password = config.registry_password.as_ref();
        let password = password.map(|password| password.reveal().to_owned());
        let user = config.registry_user.clone().map(|user| (user, password));
        let mut settings = SrSettings::new_builder(base.clone());
        settings.set_timeout(TIMEOUT);
        if let Some((user, password)) = &user {
            settings.set_basic_authorization(user, password.as_deref());
        }
        let settings = settings.build().map_err(|error| unusable(&error))?;
        let http = reqwest::Client::builder().timeout(TIMEOUT).build();
        let http = http.map_err(|error| unusable(&error))?;
        Ok(Self {
            settings,
            http,
            base,
            user,
        })
    }

    /// Returns when the registry answers; waits for it for as long as the settings say.
    pub async fn wait(&self, longest: Duration) -> Result<(), LogError> {
        let deadline = Instant::now() + longest;
        let base = &self.base;
        let mut told = false;
        loop {
            let answer = self.authorized(self.http.get(format!("{}/subjects", self.base)));
            let reason = match answer.send().await {
                Ok(answer) if answer.status().is_success() => return Ok(()),
                Ok(answer) if is_refusal(answer.status()) => {
                    let reason = format!("{base} answers {}", answer.status());
                    return Err(RegistryError::Refused(reason).into());
                }
                Ok(answer) => answer.status().to_string(),
                Err(error) => error.without_url().to_string(),
            };
            if Instant::now() >= deadline {
                return Err(RegistryError::Away(format!("{base}: {reason}")).into());
            }
            if !told {
                told = true;
                tracing::warn!(
                    base,
                    reason,
                    seconds = longest.as_secs(),
                    "waiting for the schema registry"
                );
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// The number of a schema that was registered for a subject.
    pub async fn id_of(&self, subject: &str, schema: &str) -> Result<u32, RegistryError> {
        let body = body(schema);
        let found = perform_sr_call(&self.settings, SrCall::PostForVersion(subject, &body)).await;
        let found = found.map_err(|error| refusal(&error, subject))?;
        found.id.ok_or_else(|| nameless(subject))
    }

    /// Registers a schema for a subject, and tells its number.
    pub async fn register(&self, subject: &str, schema: &str) -> Result<u32, RegistryError> {
        let body = body(schema);
        let made = perform_sr_call(&self.settings, SrCall::PostNew(subject, &body)).await;
        let made = made.map_err(|error| refusal(&error, subject))?;
        made.id.ok_or_else(|| nameless(subject))
    }

    /// The text of the Avro schema with a number.
    pub async fn text_of(&self, id: u32) -> Result<String, RegistryError> {
        let what = format!("schema with the number {id}");
        let found = get_schema_by_id(id, &self.settings).await;
        let found = found.map_err(|error| refusal(&error, &what))?;
        match found.schema_type {
            SchemaType::Avro => Ok(found.schema),
            _ => Err(RegistryError::Missing(format!("Avro {what}"))),
        }
    }

    /// From now on a subject takes only schemas that read, and are read by, all versions before.
    pub async fn protect(&self, subject: &str) -> Result<(), RegistryError> {
        let request = self.http.put(format!("{}/config/{subject}", self.base));
        let wanted = serde_json::json!({ "compatibility": "FULL_TRANSITIVE" });
        self.call(request.json(&wanted), subject).await
    }

    /// Removes a subject with all its versions.
    pub async fn forget(&self, subject: &str) -> Result<(), RegistryError> {
        let address = format!("{}/subjects/{subject}", self.base);
        // Some registries only hide what is deleted once.
        for address in [address.clone(), format!("{address}?permanent=true")] {
            match self.call(self.http.delete(address), subject).await {
                Ok(()) | Err(RegistryError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends a request about a subject that is answered with nothing of interest.
    async fn call(
        &self,
        request: reqwest::RequestBuilder,
        subject: &str,
    ) -> Result<(), RegistryError> {
        let answer = self
            .authorized(request)
            .send()
            .await
            .map_err(|error| RegistryError::Away(error.without_url().to_string()))?;
        let status = answer.status();
        let reason = format!("{status} for {subject}");
        match status {
            _ if status.is_success() => Ok(()),
            StatusCode::NOT_FOUND => Err(RegistryError::Missing(subject.to_owned())),
            _ if is_refusal(status) => Err(RegistryError::Refused(reason)),
            _ => Err(RegistryError::Away(reason)),
        }
    }

    fn authorized(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.user {
            Some((user, password)) => request.basic_auth(user, password.as_ref()),
            None => request,
        }
    }
}

fn body(schema: &str) -> String {
    serde_json::json!({ "schema": schema, "schemaType": "AVRO" }).to_string()
}

/// Whether asking again later would be of no use.
fn is_refusal(status: StatusCode) -> bool {
    status.is_client_error()
        && status != StatusCode::TOO_MANY_REQUESTS
        && status != StatusCode::REQUEST_TIMEOUT
}

/// What an error of the client means. The registry's own texts differ from product to product, so
/// only its codes are looked at.
fn refusal(error: &SRCError, what: &str) -> RegistryError {
    let code = error
        .source()
        .and_then(|source| source.downcast_ref::<RawError>())
        .map(|raw| raw.error_code);
    match code {
        Some(404 | 40_400..=40_499) => RegistryError::Missing(what.to_owned()),
        Some(409 | 40_900..=40_999) => RegistryError::Incompatible(what.to_owned()),
        Some(code @ (400..=407 | 422 | 40_000..=40_399 | 42_200..=42_299)) => {
            RegistryError::Refused(format!("{what}: code {code}"))
        }
        _ => RegistryError::Away(error.to_string()),
    }
}

fn nameless(subject: &str) -> RegistryError {
    RegistryError::Refused(format!("{subject}: it was given no number"))
}
