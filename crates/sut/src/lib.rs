//! sut
