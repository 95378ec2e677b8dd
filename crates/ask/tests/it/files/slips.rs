//! Files with a slip.

use super::ARMS;

/// Files with one slip each in their arms or their load, and what it is.
pub(crate) fn of_arms_and_load() -> Vec<(&'static str, String)> {
    vec![
        ("wrong key", format!("{ARMS}conections = 4\n")),
        ("wrong key in an arm", "arms = [{ server = \"tomcat:9.0.95\", theads = 5 }, \"tomcat:10.1.29\"]".into()),
        ("wrong type", format!("{ARMS}[load]\nconnections = \"many\"\n")),
        ("out of range", format!("{ARMS}[load]\nconnections = 0\n")),
        ("unknown server", "arms = [\"tomact:9.0.95\", \"tomcat:10.1.29\"]".into()),
        ("unknown version", "arms = [\"tomcat:9.0.95\", \"tomcat:8.5.1\"]".into()),
        ("no version", "arms = [\"tomcat:9.0.95\", { server = \"tomcat\" }]".into()),
        ("no server", "arms = [\"tomcat:9.0.95\", { name = \"b\" }]".into()),
        (
            "one name twice",
            "arms = [\n  { name = \"a\", server = \"tomcat:9.0.95\" },\n  { name = \"a\", server = \"tomcat:10.1.29\" },\n]"
                .into(),
        ),
        ("empty list", "arms = []".into()),
        ("a gate for one arm", "arms = [\"tomcat:9.0.95\"]\n[design]\ngate = \"3%\"\n".into()),
        ("a setting that nothing sets", format!("{ARMS}[tune]\n\"pool.size\" = {{ values = [8, 16] }}\n")),
        ("a setting without values", format!("{ARMS}[tune]\n\"pool.size\" = {{ env = \"POOL\" }}\n")),
        ("a setting with no value", format!("{ARMS}[tune]\n\"pool.size\" = {{ env = \"POOL\", values = [] }}\n")),
        ("no arms", "question = \"why\"\n".into()),
        ("arms of a wrong type", "arms = \"tomcat:9.0.95\"".into()),
        ("an arm of a wrong type", "arms = [1, \"tomcat:9.0.95\"]".into()),
        ("unknown application", format!("{ARMS}app = \"helo\"\n")),
        ("unknown path", format!("{ARMS}path = \"/xml\"\n")),
        ("unknown baseline", format!("{ARMS}[design]\nbaseline = \"c\"\n")),
        ("no level", format!("{ARMS}[load]\nconnections = []\n")),
        ("levels in no order", format!("{ARMS}[load]\nconnections = [100, 500, 50]\n")),
        ("a level of a wrong type", format!("{ARMS}[load]\nconnections = [100, \"many\"]\n")),
        ("bad pause", format!("{ARMS}[load]\nthink = \"long\"\n")),
        ("bad ramp", format!("{ARMS}[load]\nramp = true\n")),
        ("an unknown arm in quick", format!("{ARMS}[quick]\narms = [\"tomcat:9.0.96\"]\n")),
        ("a slip in quick", format!("{ARMS}[quick]\nload = {{ conections = 4 }}\n")),
        ("a reference without rows", format!("{ARMS}[reference]\nsource = \"a post\"\n")),
        ("a row without an arm", format!("{ARMS}[[reference.rows]]\nthroughput = 1\n")),
        ("a row with a word", format!("{ARMS}[[reference.rows]]\narm = \"a\"\nthroughput = \"high\"\n")),
    ]
}

/// Files with one slip each elsewhere, and what it is.
pub(crate) fn others() -> Vec<(&'static str, String)> {
    vec![
        ("odd pairs", format!("{ARMS}[design]\npairs = 7\n")),
        ("bad duration", format!("{ARMS}[design]\nbudget = \"soon\"\n")),
        ("bad alpha", format!("{ARMS}[design]\nalpha = 0.02\n")),
        ("bad margin", format!("{ARMS}[design]\nmargin = {{ troughput = \"2%\" }}\n")),
        ("a cap and no cap", format!("{ARMS}[design]\nstarts = 20\nuntil_sure = true\n")),
        ("not yes or no", format!("{ARMS}[design]\nuntil_sure = \"yes\"\n")),
        ("a gate and a margin", format!("{ARMS}[design]\ngate = \"3%\"\nmargin = \"2%\"\n")),
        ("a margin of a wrong type", format!("{ARMS}[design]\nmargin = true\n")),
        ("broken TOML", "arms = [\"tomcat:9.0.95\",\nquestion\n".into()),
        ("key twice", "question = \"a\"\nquestion = \"b\"\n".into()),
        ("a question of a wrong type", format!("question = 7\n{ARMS}")),
        ("an empty question", format!("question = \" \"\n{ARMS}")),
        ("a question in an unknown language", format!("question = {{ de = \"Schneller?\" }}\n{ARMS}")),
        ("an empty text of a question", format!("question = {{ en = \"Faster?\", zh = \"\" }}\n{ARMS}")),
        ("a question in no language", format!("question = {{}}\n{ARMS}")),
        ("not ASCII", "question = \"谁快？\"\narms = [\"汤姆猫:9\", \"tomcat:9.0.95\"]".into()),
    ]
}
