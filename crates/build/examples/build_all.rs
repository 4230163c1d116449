//! Builds every stack, or those that are named, or those of recipes anywhere: `build_all CACHE [NAME | FILE.toml]…`.
//! `TLSLAB_ROOT` names another tree than this one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tlslab_build::{Event, Happening, Options, Recipe, RecipeError, Workshop, read_recipe};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(cache) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: build_all CACHE [NAME | FILE.toml]...");
        return ExitCode::FAILURE;
    };
    let names: Vec<String> = arguments.collect();
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = std::env::var_os("TLSLAB_ROOT").map_or_else(own, PathBuf::from);
    let workshop = Workshop::new(&root, &cache);
    let recipes = match wanted(&workshop, &names) {
        Ok(recipes) => recipes,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let started = Instant::now();
    let draw = |event: &Event| {
        let task = format!("{} for {}", event.task.stage, event.task.stacks.join(", "));
        let what = match &event.what {
            Happening::Cached => "cached".to_owned(),
            Happening::Waiting => "waits for another build".to_owned(),
            Happening::Started { log } => format!("started, log {}", log.display()),
            Happening::Line(line) => format!("| {line}"),
            Happening::Finished { took } => format!("finished after {:.1} s", took.as_secs_f64()),
            Happening::Failed(_) => "failed".to_owned(),
        };
        eprintln!("{:7.2} {task}: {what}", started.elapsed().as_secs_f64());
    };
    let outcomes = workshop.build(&recipes, Options::default(), &draw, &AtomicBool::new(false));
    let mut status = ExitCode::SUCCESS;
    for (stack, outcome) in outcomes {
        match outcome {
            Ok(built) => {
                println!("{stack}: {} {}", built.driver.display(), built.driver_digest);
                println!("  {:#?}", built.identity);
            }
            Err(failure) => {
                println!("{stack}: {failure}");
                status = ExitCode::FAILURE;
            }
        }
    }
    eprintln!("{:7.3} all", started.elapsed().as_secs_f64());
    status
}

fn wanted(workshop: &Workshop, names: &[String]) -> Result<Vec<Recipe>, RecipeError> {
    let mut recipes = workshop.recipes()?;
    recipes.retain(|recipe| names.is_empty() || names.contains(&recipe.name));
    for file in names.iter().filter(|name| name.ends_with(".toml")) {
        recipes.push(read_recipe(Path::new(file))?);
    }
    Ok(recipes)
}
