CREATE SCHEMA IF NOT EXISTS prony;
CREATE TABLE prony.schema_version (version BIGINT NOT NULL);
CREATE TABLE prony.run (
    id TEXT COLLATE "C" PRIMARY KEY,
    experiment TEXT NOT NULL,
    source TEXT NOT NULL,
    report TEXT,
    facts TEXT,
    profiles BYTEA
);
CREATE INDEX run_by_experiment ON prony.run (experiment, id);
CREATE TABLE prony.round (
    run TEXT COLLATE "C" NOT NULL REFERENCES prony.run (id) ON DELETE CASCADE,
    round BIGINT NOT NULL,
    facts TEXT NOT NULL,
    telemetry BYTEA NOT NULL,
    PRIMARY KEY (run, round)
);
CREATE TABLE prony.slice (
    run TEXT COLLATE "C" NOT NULL REFERENCES prony.run (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    round BIGINT NOT NULL,
    arm BIGINT NOT NULL,
    facts TEXT NOT NULL,
    response BYTEA NOT NULL,
    service BYTEA NOT NULL,
    connect BYTEA NOT NULL,
    undelayed BYTEA NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE prony.inspection (
    run TEXT COLLATE "C" NOT NULL REFERENCES prony.run (id) ON DELETE CASCADE,
    arm BIGINT NOT NULL,
    level BIGINT NOT NULL,
    facts BYTEA NOT NULL,
    PRIMARY KEY (run, arm, level)
);
CREATE TABLE prony.calibration (
    run TEXT COLLATE "C" PRIMARY KEY REFERENCES prony.run (id) ON DELETE CASCADE,
    class TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE TABLE prony.decision (
    run TEXT COLLATE "C" PRIMARY KEY REFERENCES prony.run (id) ON DELETE CASCADE,
    facts TEXT NOT NULL
);
CREATE TABLE prony.foreign_run (
    experiment TEXT NOT NULL,
    series TEXT NOT NULL,
    at TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (experiment, series, at)
);
