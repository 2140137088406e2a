//! Lets a plain `cargo build` link the extension on macOS too, as maturin does.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
