//! The store of a team, in a real PostgreSQL.

mod team;
