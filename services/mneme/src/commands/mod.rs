//! The commands. Each prints tables for people, or JSON where `--json` asks for it.

mod add;
mod bench;
mod dead_letters;
mod demo;
mod eval;
mod import;
mod lasts;
mod operate;
mod prepare;
mod read;
mod up;

use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::{Arguments, Command, DlqCommand, Target};
use crate::client::{Client, Connection};
use crate::configuration::Configuration;
use crate::roles;

/// Runs a command and says how the process ends.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let configuration = Configuration::load(arguments.config.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(dispatch(arguments, configuration))
}

async fn dispatch(arguments: Arguments, configuration: Configuration) -> anyhow::Result<ExitCode> {
    let (json, config) = (arguments.json, arguments.config);
    let own_process = !matches!(arguments.command, Command::Up { .. } | Command::Run { .. });
    if own_process {
        // Commands speak through their output; what a node in this process logs is of interest
        // only when asked for.
        let filter = std::env::var("MNEME_LOG").unwrap_or_else(|_| "error".to_owned());
        mneme_telemetry::start_logs(&filter, configuration.log_json)?;
    }
    let settings = &configuration;
    match arguments.command {
        Command::Up {
            data,
            listen,
            stub_extractions,
        } => {
            up::run(configuration, data, listen, stub_extractions).await?;
        }
        Command::Run {
            role,
            data,
            listen,
            stub_extractions,
        } => {
            let mut configuration = configuration;
            configuration.data = data.unwrap_or(configuration.data);
            configuration.listen = listen.unwrap_or(configuration.listen);
            let _traces = configuration.start_telemetry(&role.service())?;
            roles::run(role, configuration, stub_extractions).await?;
        }
        Command::Topics { .. } => prepare::topics(settings, json).await?,
        Command::Schemas { .. } => prepare::schemas(settings, json).await?,
        Command::Add {
            target,
            group,
            text,
            id,
            thread,
            author,
            time,
            wait,
        } => {
            let episode = add::Episode {
                group,
                text,
                id,
                thread,
                author,
                time,
            };
            with_new(&target, settings, async |client| {
                add::run(client, episode, wait, json).await
            })
            .await?;
        }
        Command::Import {
            target,
            files,
            mapping,
            intake,
            no_wait,
        } => {
            let import = import::Import {
                files,
                mapping,
                intake,
                wait: !no_wait,
            };
            let report = with_new(&target, settings, async |client| {
                import::run(client, &import).await
            })
            .await?;
            report.print(json)?;
            return Ok(report.exit_code());
        }
        Command::Search {
            target,
            group,
            query,
            limit,
            scope,
            times,
            filter,
        } => {
            let question = read::Question {
                groups: group,
                query,
                times,
                filter,
            };
            with(&target, settings, async |client| {
                read::search(client, question, limit, scope, json).await
            })
            .await?;
        }
        Command::Context {
            target,
            group,
            query,
            max_tokens,
            times,
        } => {
            let question = read::Question {
                groups: group,
                query,
                times,
                filter: None,
            };
            with(&target, settings, async |client| {
                read::context(client, question, max_tokens, json).await
            })
            .await?;
        }
        Command::Facts {
            target,
            group,
            subject,
            relation,
            times,
        } => {
            with(&target, settings, async |client| {
                read::facts(client, &group, subject, relation, times, json).await
            })
            .await?;
        }
        Command::Entities {
            target,
            group,
            name,
        } => {
            with(&target, settings, async |client| {
                read::entities(client, &group, name, json).await
            })
            .await?;
        }
        Command::History {
            target,
            group,
            entity,
        } => {
            with(&target, settings, async |client| {
                read::history(client, &group, &entity, json).await
            })
            .await?;
        }
        Command::Status {
            target,
            group,
            episode,
        } => {
            let episode = group.zip(episode);
            with(&target, settings, async |client| {
                operate::status(client, episode, json).await
            })
            .await?;
        }
        Command::Replay { target, force } => {
            return with(&target, settings, async |client| {
                operate::replay(client, force, json).await
            })
            .await;
        }
        Command::Verify { target } => {
            return with(&target, settings, async |client| {
                operate::verify(client, json).await
            })
            .await;
        }
        Command::Dlq { command } => match command {
            DlqCommand::List { target, all, limit } => {
                with(&target, settings, async |client| {
                    dead_letters::list(client, all, limit, json).await
                })
                .await?;
            }
            DlqCommand::Show { target, id } => {
                with(&target, settings, async |client| {
                    dead_letters::show(client, &id, json).await
                })
                .await?;
            }
            DlqCommand::Replay { target, again } => {
                with(&target, settings, async |client| {
                    dead_letters::replay(client, again).await
                })
                .await?;
            }
        },
        Command::Demo { folder, data } => return demo::run(settings, &folder, data).await,
        Command::Eval { command } => eval::run(settings, command, json).await?,
        Command::Bench {
            quick,
            kafka: true,
            partitions,
            ..
        } => bench::kafka::run(settings, config, partitions, quick, json).await?,
        Command::Bench { quick, data, .. } => bench::run(settings, quick, data, json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs with a client of the target, and closes what was opened for it.
async fn with<T>(
    target: &Target,
    configuration: &Configuration,
    run: impl AsyncFnOnce(&Client) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_connection(target, configuration, false, run).await
}

/// The same for commands that write: they make the data folder where it is not there.
async fn with_new<T>(
    target: &Target,
    configuration: &Configuration,
    run: impl AsyncFnOnce(&Client) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_connection(target, configuration, true, run).await
}

async fn with_connection<T>(
    target: &Target,
    configuration: &Configuration,
    may_create: bool,
    run: impl AsyncFnOnce(&Client) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let connection = Connection::open(target, configuration, may_create).await?;
    let done = run(&connection.client).await;
    connection.close().await?;
    done
}

/// Listens for the signals from now on; what is returned ends when one has come. Called before the
/// server says that it listens, so that whoever reads that may stop it at once.
pub fn told_to_stop() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
    })
}
