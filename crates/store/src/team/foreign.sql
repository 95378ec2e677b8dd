CREATE TABLE prony.foreign_run (
    experiment TEXT NOT NULL,
    series TEXT NOT NULL,
    at TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (experiment, series, at)
);
