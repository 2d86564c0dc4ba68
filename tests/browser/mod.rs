//! A look at pages in headless Chromium.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Text outside its picture or over another text, and anything wider than the page.
pub const MEASURE: &str = r#"<pre id="measured"></pre><script>
const found = [];
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) found.push(`page ${root.scrollWidth} wider than ${root.clientWidth}`);
for (const e of document.querySelectorAll('p, h1, h2, dd, dt, li, td, th, figcaption, .table, .warnings'))
  if (e.scrollWidth > e.clientWidth + 1) found.push(`${e.tagName} overflows: ${e.textContent.slice(0, 60)}`);
for (const svg of document.querySelectorAll('svg')) {
  const outer = svg.getBoundingClientRect(), name = svg.getAttribute('aria-label');
  const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
  for (const [t, r] of texts)
    if (r.left < outer.left - 0.5 || r.right > outer.right + 0.5 || r.top < outer.top - 0.5 || r.bottom > outer.bottom + 0.5)
      found.push(`${name}: '${t}' leaves the picture`);
  texts.forEach(([a, p], i) => texts.slice(0, i).forEach(([b, q]) => {
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (across > 1 && down > 4) found.push(`${name}: '${a}' over '${b}'`);
  }));
}
document.getElementById('measured').textContent = 'measured ' + document.querySelectorAll('svg').length + '\n' + found.join('\n') + '\nend';
</script>"#;

/// The program.
pub struct Browser(PathBuf);

impl Browser {
    /// Where it is; a machine that has none is told so.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let mut files = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
        let found = files.find(|file| file.is_file());
        if found.is_none() {
            eprintln!(
                "\n*** SKIPPED: no chromium on this machine, so NOBODY HAS LOOKED at the report. ***\n"
            );
        }
        found.map(Self)
    }

    /// The page as it is, under its own policy, and then measured at two widths: no complaint, nothing out of place,
    /// and so many figures.
    pub fn inspect(&self, path: &Path, figures: usize) {
        let page = std::fs::read_to_string(path).expect("a page");
        let measured = path.with_extension("measured.html");
        let policy = page.find("<meta http-equiv").expect("a policy");
        let end = policy + page[policy..].find("/>").expect("an end") + 2;
        let open =
            format!("{}{}", &page[..policy], &page[end..]).replace("</body>", &format!("{MEASURE}</body>"));
        std::fs::write(&measured, open).expect("written");

        let name = path.display();
        let (_, complaints) = self.show(path, 1366);
        assert_eq!(complaints, "", "{name}");
        for width in [1366, 800] {
            let (dom, complaints) = self.show(&measured, width);
            assert_eq!(complaints, "", "{name} at {width}");
            assert_eq!(measurements(&dom), format!("measured {figures}\n\nend"), "{name} at {width}");
        }
    }

    /// The page as the browser understood it, and what it wrote to the console.
    pub fn show(&self, page: &Path, width: usize) -> (String, String) {
        // Browsers with one profile would wait for each other.
        let profile = page.with_extension(format!("{width}.profile"));
        let mut child = Command::new(&self.0)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--enable-logging=stderr", "--dump-dom"])
            .arg(format!("--window-size={width},1000"))
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("file://{}", page.display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("chromium starts");
        // Read while it runs: a pipe that is full would stop it.
        let mut streams = (child.stdout.take().expect("stdout"), child.stderr.take().expect("stderr"));
        let (dom, log) = (
            std::thread::spawn(move || read(&mut streams.0)),
            std::thread::spawn(move || read(&mut streams.1)),
        );
        let start = Instant::now();
        let status = loop {
            match child.try_wait().expect("a child") {
                Some(status) => break status,
                None if start.elapsed() > Duration::from_secs(120) => {
                    child.kill().expect("killed");
                    panic!("chromium did not finish {}", page.display());
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let (dom, log) = (dom.join().expect("read"), log.join().expect("read"));
        assert!(status.success(), "{log}");
        let _ = std::fs::remove_dir_all(profile);
        (dom, log.lines().filter(|line| line.contains("CONSOLE")).collect::<Vec<_>>().join("\n"))
    }
}

/// What the measuring script wrote into the page.
pub fn measurements(dom: &str) -> &str {
    let rest = dom.split("<pre id=\"measured\">").nth(1).unwrap_or_default();
    rest.split("</pre>").next().unwrap_or_default()
}

fn read(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("readable");
    String::from_utf8_lossy(&bytes).into_owned()
}
