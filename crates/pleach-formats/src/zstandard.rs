//! Zstandard, or what says that this program was built without it: its C code takes as long to build as all of the readers.

#[cfg(feature = "zstd")]
pub(crate) use built::{Packer, pack, reader};

#[cfg(not(feature = "zstd"))]
pub(crate) use missing::{Packer, pack, reader};

#[cfg(feature = "zstd")]
mod built {
    use std::io::{self, BufReader, Read, Write};

    /// A stream that packs.
    pub struct Packer<W: Write>(zstd::stream::write::Encoder<'static, W>);

    impl<W: Write> Packer<W> {
        pub fn new(out: W) -> io::Result<Self> {
            zstd::stream::write::Encoder::new(out, 0).map(Packer)
        }

        pub fn finish(self) -> io::Result<W> {
            self.0.finish()
        }
    }

    impl<W: Write> Write for Packer<W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    /// A frame with these bytes.
    pub fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
        zstd::stream::encode_all(bytes, 0)
    }

    /// A stream, unpacked.
    pub fn reader<R: Read>(packed: R) -> io::Result<zstd::stream::read::Decoder<'static, BufReader<R>>> {
        zstd::stream::read::Decoder::new(packed)
    }
}

#[cfg(not(feature = "zstd"))]
mod missing {
    use std::convert::Infallible;
    use std::io::{self, Empty, Read, Write};
    use std::marker::PhantomData;

    /// There is none.
    pub struct Packer<W>(Infallible, PhantomData<W>);

    fn not_built<T>() -> io::Result<T> {
        let why = "this program was built without Zstandard (the cargo feature `zstd`); `cargo install --path \
                   crates/pleach-cli` builds all of it, and gzip always works";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    impl<W> Packer<W> {
        pub fn new(_: W) -> io::Result<Self> {
            not_built()
        }

        pub fn finish(self) -> io::Result<W> {
            match self.0 {}
        }
    }

    impl<W> Write for Packer<W> {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            match self.0 {}
        }

        fn flush(&mut self) -> io::Result<()> {
            match self.0 {}
        }
    }

    pub fn pack(_: &[u8]) -> io::Result<Vec<u8>> {
        not_built()
    }

    pub fn reader<R: Read>(_: R) -> io::Result<Empty> {
        not_built()
    }
}
