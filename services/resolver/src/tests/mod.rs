//! The resolver as its neighbours see it: extractions and requests in, resolutions out.

mod cases;
mod cost;
mod erasure;
mod ladder;
mod names;
mod properties;
mod requests;
mod world;
