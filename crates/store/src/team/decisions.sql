CREATE TABLE prony.decision (
    run TEXT COLLATE "C" PRIMARY KEY REFERENCES prony.run (id) ON DELETE CASCADE,
    facts TEXT NOT NULL
);
