//! Output files that are whole or not there: written beside their place, then renamed into it.
use crate::error::{Error, Result};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files that are not finished; an interrupt removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// From here on Ctrl-C removes what is half written, then ends the process. To be called once, first thing.
pub fn remove_unfinished_on_interrupt() {
    // Where no handler can be installed the default one ends the process, which is all that is lost.
    let _ = ctrlc::set_handler(|| {
        // The lock is kept: no file can be begun or finished while the process ends.
        let _files = remove_unfinished();
        std::process::exit(INTERRUPTED)
    });
}

fn remove_unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    let files = unfinished();
    for file in files.iter() {
        let _ = fs::remove_file(file);
    }
    files
}

/// Writes a file by `fill`. Whatever goes wrong, `path` holds what it held before or all of the new content.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    replace(path, fill).map_err(|error| refused(path, error))
}

/// Finds out whether [`write`] could write this file, and leaves nothing behind.
pub fn check(path: &Path) -> Result<()> {
    let possible = || {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&target) {
            Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => Ok(()),
            _ => Draft::beside(&target).map(drop),
        }
    };
    possible().map_err(|error| refused(path, error))
}

fn refused(path: &Path, error: io::Error) -> Error {
    Error::new(format!("cannot be written ({error})")).at(path.display().to_string())
}

/// Writes to standard output; a reader that has gone away is no error.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new(format!("cannot be written ({error})")).at("standard output"))
        }
        _ => Ok(()),
    }
}

fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays a link, and a device or pipe is written to, not replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return filled(fs::OpenOptions::new().write(true).open(&target)?, fill);
    }
    let (draft, file) = Draft::beside(&target)?;
    filled(file, fill)?;
    draft.finish(&target)
}

fn filled(file: fs::File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(file);
    fill(&mut out)?;
    out.flush()
}

/// A file under another name in the same directory; gone unless finished.
struct Draft(PathBuf);

impl Draft {
    fn beside(target: &Path) -> io::Result<(Self, fs::File)> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let draft = target.with_file_name(hidden);
        // Under the lock, so that an interrupt finds every file that exists.
        let mut files = unfinished();
        let file = fs::File::create(&draft)?;
        files.push(draft.clone());
        Ok((Self(draft), file))
    }

    fn finish(self, target: &Path) -> io::Result<()> {
        // Under the lock, so that an interrupt sees the draft or the finished file and nothing between.
        let _whole = unfinished();
        fs::rename(&self.0, target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After `finish` there is nothing left under this name.
        let _ = fs::remove_file(&self.0);
        unfinished().retain(|file| *file != self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interrupt concerns every file of the process: one test at a time.
    static TURN: Mutex<()> = Mutex::new(());

    fn turn() -> std::sync::MutexGuard<'static, ()> {
        TURN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("cstgl-writer-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let _turn = turn();
        let directory = place("whole");
        let path = directory.join("labels.csv");
        write(&path, |out| out.write_all(b"old")).unwrap();
        write(&path, |out| out.write_all(b"new\n")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new\n");
        assert_eq!(names(&directory), ["labels.csv"]);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_failure_keeps_the_old_file_and_leaves_nothing_beside_it() {
        let _turn = turn();
        let directory = place("failure");
        let path = directory.join("labels.csv");
        write(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"half of the new")?;
            out.flush()?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.unwrap_err().to_string().contains("the disk is full"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(&directory), ["labels.csv"]);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn an_interrupt_leaves_the_old_file_and_nothing_beside_it() {
        let _turn = turn();
        let directory = place("interrupt");
        let path = directory.join("labels.csv");
        write(&path, |out| out.write_all(b"old")).unwrap();
        let interrupted = write(&path, |out| {
            out.write_all(&[b'x'; 100_000])?;
            assert_eq!(names(&directory).len(), 2, "the draft stands beside the file");
            drop(remove_unfinished());
            assert_eq!(names(&directory), ["labels.csv"]);
            Ok(())
        });
        // A process would have ended before this; what is renamed is no longer there.
        assert!(interrupted.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        fs::remove_dir_all(directory).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let _turn = turn();
        let directory = place("link");
        let (file, link) = (directory.join("file"), directory.join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        write(Path::new("/dev/null"), |out| out.write_all(b"new")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_missing_directory_is_said() {
        let _turn = turn();
        let path = place("missing").join("no/such/labels.csv");
        let error = write(&path, |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("labels.csv: cannot be written"), "{error}");
    }
}
