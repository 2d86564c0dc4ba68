//! `cstgl`: cluster your files, see the result, reproduce the paper.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod bench;
mod cluster;
mod demo;
mod error;
mod evaluate;
#[allow(dead_code, reason = "the commands to come call the rest")]
mod figure;
#[cfg(test)]
mod hostile;
mod info;
#[allow(dead_code, reason = "the commands to come call the rest")]
mod markup;
mod output;
#[allow(dead_code, reason = "the commands to come call the rest")]
mod page;
mod parameters;
mod progress;
#[allow(dead_code, reason = "the commands to come call the rest")]
mod read;
#[allow(dead_code, reason = "the commands to come call the rest")]
mod report;
mod reproduce;
#[allow(dead_code, reason = "the commands to come call the rest")]
mod run;
mod sweep;
#[allow(dead_code, reason = "the commands to come call the rest")]
mod table;
#[allow(dead_code, reason = "the commands to come call the rest")]
mod writer;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Multi-view clustering by tensor-based graph learning
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Demo),
    Cluster(cluster::Cluster),
    Evaluate(evaluate::Evaluate),
    Sweep(sweep::Sweep),
    Info(info::Info),
    Reproduce(reproduce::Reproduce),
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let program = match Program::try_parse() {
        Ok(program) => program,
        Err(error) => return usage(&error),
    };
    writer::remove_unfinished_on_interrupt();
    let done = match program.command {
        Command::Demo(demo) => demo.run(),
        Command::Cluster(cluster) => cluster.run(),
        Command::Evaluate(evaluate) => evaluate.run(),
        Command::Sweep(sweep) => sweep.run(),
        Command::Info(info) => info.run(),
        Command::Reproduce(reproduce) => reproduce.run(),
        Command::Bench(bench) => bench.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cstgl: {error}");
            ExitCode::from(error::EXIT_CODE)
        }
    }
}

/// Help and version as they are; what is wrong in one sentence.
fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    let code = u8::try_from(error.exit_code()).unwrap_or(error::EXIT_CODE);
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        let _ = error.print();
        return ExitCode::from(code);
    }
    let text = error.render().to_string();
    let lines = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let words: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    let sentence = words.join(" ").replace(" tip: ", "; ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
    eprintln!("cstgl: {}; --help tells more", error::printable(sentence));
    ExitCode::from(code)
}
