use clap::CommandFactory;

use super::*;

/// The commands that do something, by their full names.
fn leaves(command: &clap::Command, path: &str, found: &mut Vec<(String, clap::Command)>) {
    for command in command.get_subcommands() {
        let path = format!("{path} {}", command.get_name());
        if command.has_subcommands() {
            leaves(command, &path, found);
        } else {
            found.push((path, command.clone()));
        }
    }
}

#[test]
fn each_command_has_an_example_and_names_its_values() {
    let command = Arguments::command();
    command.clone().debug_assert();
    let mut found = Vec::new();
    leaves(&command, "mneme", &mut found);
    for (path, command) in found {
        let parent = path.rsplit_once(' ').map_or("", |(parent, _)| parent);
        let is_apply = parent.ends_with("topics") || parent.ends_with("schemas");
        let help = command.get_after_help().map(ToString::to_string);
        let has_example = help.is_some_and(|help| help.contains(&path));
        assert!(has_example || is_apply, "{path}");
        for argument in command.get_arguments() {
            let names = argument.get_value_names().unwrap_or_default();
            let takes_value = argument.get_action().takes_values();
            let is_named = names.iter().all(|name| name.len() <= 8);
            assert!(!takes_value || argument.is_hide_set() || is_named, "{path}");
        }
    }
}
