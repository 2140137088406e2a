//! Named tensors as bytes, in the format of `safetensors`: the length of a header (8 bytes), the header (JSON: for each
//! tensor its type, shape and place), the data.
//!
//! Other tools can read it. It is written here because the order of tensors matters: f32 weights that stand in the
//! order of a network's layout, without gaps, are used right where they are ([`View::weights`]), so opening a model
//! takes as long as reading its header.

use super::layout::Layout;
use super::number::{self, Precision};
use crate::NeuralError;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashMap;

/// A tensor to be written.
#[derive(Clone, Debug)]
pub enum Stored<'a> {
    /// Numbers with a shape and the precision to store them in.
    Numbers(&'a [f32], Vec<usize>, Precision),
    /// Whole numbers.
    Whole(&'a [u32]),
}

/// Data begins at a multiple of this, so that numbers are aligned where a file is mapped.
const ALIGNMENT: usize = 64;
const METADATA: &str = "__metadata__";

/// A tensor as it is stored: little-endian numbers of a type as `safetensors` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Its name.
    pub name: String,
    /// The type: `F32`, `F16`, `I8` or `U32`.
    pub kind: &'static str,
    /// Its extents.
    pub shape: Vec<usize>,
    /// Its numbers.
    pub bytes: Vec<u8>,
}

/// Tensors as they are stored; those of eight bits have a second one with the factors of their rows. Types with wide
/// numbers come first, so that every tensor is aligned where they stand one after the other.
pub fn encode(tensors: &[(String, Stored)]) -> Vec<Encoded> {
    let (mut wide, mut narrow) = (Vec::new(), Vec::new());
    let bits = |numbers: &[f32]| little(&numbers.iter().map(|x| x.to_bits()).collect::<Vec<u32>>());
    for (name, tensor) in tensors {
        let encoded =
            |kind, shape: &[usize], bytes| Encoded { name: name.clone(), kind, shape: shape.to_vec(), bytes };
        match tensor {
            Stored::Whole(numbers) => wide.push(encoded("U32", &[numbers.len()], little(numbers))),
            Stored::Numbers(numbers, shape, precision) => match number::kind(*precision, shape) {
                "F32" => wide.push(encoded("F32", shape, bits(numbers))),
                "F16" => narrow.push(encoded("F16", shape, number::f16_bytes(numbers))),
                _ => {
                    let columns = shape.last().copied().unwrap_or(1);
                    let (bytes, factors) = number::int8(numbers, columns);
                    let name = factors_of(name);
                    wide.push(Encoded {
                        name,
                        kind: "F32",
                        shape: vec![factors.len()],
                        bytes: bits(&factors),
                    });
                    narrow.push(encoded("I8", shape, bytes));
                }
            },
        }
    }
    wide.append(&mut narrow);
    wide
}

/// Writes tensors in this order, with texts beside them.
pub fn write(metadata: &[(&str, String)], tensors: &[(String, Stored)]) -> Vec<u8> {
    let mut header = Map::new();
    let texts: Map<String, Value> =
        metadata.iter().map(|(key, value)| ((*key).to_owned(), Value::from(value.as_str()))).collect();
    header.insert(METADATA.into(), Value::Object(texts));
    let mut data: Vec<u8> = Vec::new();
    for Encoded { name, kind, shape, bytes } in encode(tensors) {
        let start = data.len();
        data.extend_from_slice(&bytes);
        let place = json!({"dtype": kind, "shape": shape, "data_offsets": [start, data.len()]});
        header.insert(name, place);
    }
    let mut text = Value::Object(header).to_string().into_bytes();
    let end = (8 + text.len()).next_multiple_of(ALIGNMENT);
    text.resize(end - 8, b' ');
    let mut file = (text.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(&text);
    file.extend_from_slice(&data);
    file
}

fn little(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn place_of(name: &str) -> NeuralError {
    NeuralError::Damaged(format!("the place of {name:?}"))
}

fn factors_of(name: &str) -> String {
    format!("{name}.factors")
}

#[derive(Clone, Debug, Deserialize)]
struct Header {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

#[derive(Clone, Debug)]
struct Place<'a> {
    dtype: String,
    shape: Vec<usize>,
    bytes: &'a [u8],
    /// Where it stands in the data of a file, if it is in one.
    range: Option<(usize, usize)>,
}

impl Place<'_> {
    /// Whether there are as many bytes as the type and the shape say.
    fn fits(&self) -> bool {
        let size = match self.dtype.as_str() {
            "F64" | "I64" | "U64" => 8,
            "F32" | "U32" | "I32" => 4,
            "F16" | "BF16" | "I16" | "U16" => 2,
            _ => 1,
        };
        let count = self.shape.iter().try_fold(1_usize, |product, &n| product.checked_mul(n));
        count.and_then(|count| count.checked_mul(size)) == Some(self.bytes.len())
    }
}

/// Tensors in borrowed bytes.
#[derive(Clone, Debug)]
pub struct View<'a> {
    data: &'a [u8],
    places: HashMap<String, Place<'a>>,
    names: Vec<String>,
    metadata: HashMap<String, String>,
}

impl<'a> View<'a> {
    /// Reads the header.
    pub fn new(bytes: &'a [u8]) -> Result<Self, NeuralError> {
        let damaged = |what: &str| NeuralError::Damaged(what.into());
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| damaged("no header"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|&length| length <= rest.len());
        let (header, data) = rest.split_at(length.ok_or_else(|| damaged("the header is cut off"))?);
        let header: Map<String, Value> =
            serde_json::from_slice(header).map_err(|error| damaged(&format!("header: {error}")))?;
        let mut view = View { data, places: HashMap::new(), names: Vec::new(), metadata: HashMap::new() };
        for (name, value) in header {
            let wrong = |error: serde_json::Error| NeuralError::Damaged(format!("{name:?}: {error}"));
            if name == METADATA {
                view.metadata = serde_json::from_value(value).map_err(wrong)?;
                continue;
            }
            let Header { dtype, shape, data_offsets: (start, end) } =
                serde_json::from_value(value).map_err(wrong)?;
            let bytes = data.get(start..end).ok_or_else(|| place_of(&name))?;
            view.add(name, Place { dtype, shape, bytes, range: Some((start, end)) })?;
        }
        Ok(view)
    }

    /// Tensors that stand anywhere: their names, types, shapes and bytes.
    pub fn loose<'t>(
        tensors: impl IntoIterator<Item = (&'t str, String, &'t [usize], &'a [u8])>,
    ) -> Result<Self, NeuralError> {
        let mut view =
            View { data: &[], places: HashMap::new(), names: Vec::new(), metadata: HashMap::new() };
        for (name, dtype, shape, bytes) in tensors {
            view.add(name.to_owned(), Place { dtype, shape: shape.to_vec(), bytes, range: None })?;
        }
        Ok(view)
    }

    fn add(&mut self, name: String, place: Place<'a>) -> Result<(), NeuralError> {
        if !place.fits() {
            return Err(place_of(&name));
        }
        self.names.push(name.clone());
        self.places.insert(name, place);
        Ok(())
    }

    /// The names of all tensors in the order of the header.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A text that was written beside the tensors.
    pub fn metadata(&self, key: &str) -> Result<&str, NeuralError> {
        let text = self.metadata.get(key).map(String::as_str);
        text.ok_or_else(|| NeuralError::Damaged(format!("{key:?} is missing")))
    }

    /// The shape of a tensor, if it is there.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.places.get(name).map(|place| place.shape.as_slice())
    }

    fn place(&self, name: &str) -> Result<(&Place<'a>, &'a [u8]), NeuralError> {
        let place = self.places.get(name).ok_or_else(|| NeuralError::MissingTensor(name.into()))?;
        Ok((place, place.bytes))
    }

    /// The numbers of a tensor, whatever their precision.
    pub fn numbers(&self, name: &str) -> Result<Cow<'a, [f32]>, NeuralError> {
        let (place, bytes) = self.place(name)?;
        if place.dtype == "F32" {
            if let (Ok(numbers), true) = (bytemuck::try_cast_slice(bytes), cfg!(target_endian = "little")) {
                return Ok(Cow::Borrowed(numbers));
            }
            let numbers = bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
            return Ok(Cow::Owned(numbers.collect()));
        }
        let mut out = vec![0.0; place.shape.iter().product()];
        self.decode(name, place, bytes, &mut out)?;
        Ok(Cow::Owned(out))
    }

    fn decode(
        &self,
        name: &str,
        place: &Place<'_>,
        bytes: &[u8],
        out: &mut [f32],
    ) -> Result<(), NeuralError> {
        match place.dtype.as_str() {
            "F32" => {
                for (out, &bytes) in out.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *out = f32::from_le_bytes(bytes);
                }
                Ok(())
            }
            "F16" => number::from_f16(name, bytes, out),
            "I8" => number::from_int8(name, bytes, &self.numbers(&factors_of(name))?, out),
            other => Err(NeuralError::TensorType {
                name: name.into(),
                found: other.into(),
                expected: "F32, F16 or I8",
            }),
        }
    }

    /// The numbers of a tensor of whole numbers.
    pub fn whole(&self, name: &str) -> Result<Vec<u32>, NeuralError> {
        let (place, bytes) = self.place(name)?;
        if place.dtype != "U32" {
            let found = place.dtype.clone();
            return Err(NeuralError::TensorType { name: name.into(), found, expected: "U32" });
        }
        Ok(bytes.as_chunks::<4>().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect())
    }

    /// All tensors of a layout in one row: borrowed if they stand so in the file, else put together.
    pub fn weights(&self, layout: &Layout) -> Result<Cow<'a, [f32]>, NeuralError> {
        for tensor in layout.tensors() {
            let (place, _) = self.place(&tensor.name)?;
            if place.shape != tensor.shape {
                return Err(NeuralError::TensorShape {
                    name: tensor.name.clone(),
                    found: place.shape.clone(),
                    expected: tensor.shape.clone(),
                });
            }
        }
        let places = || layout.tensors().iter().filter_map(|tensor| self.places.get(&tensor.name));
        let together = places().all(|place| place.dtype == "F32")
            && places()
                .zip(places().skip(1))
                .all(|(a, b)| a.range.zip(b.range).is_some_and(|((_, end), (start, _))| start == end));
        let first = places().next().and_then(|place| place.range);
        if let (true, Some((start, _))) = (together && cfg!(target_endian = "little"), first) {
            let bytes = self.data.get(start..start + 4 * layout.len());
            if let Some(Ok(numbers)) = bytes.map(bytemuck::try_cast_slice) {
                return Ok(Cow::Borrowed(numbers));
            }
        }
        let mut flat = vec![0.0; layout.len()];
        for tensor in layout.tensors() {
            let (place, bytes) = self.place(&tensor.name)?;
            self.decode(&tensor.name, place, bytes, tensor.slot.of_mut(&mut flat))?;
        }
        Ok(Cow::Owned(flat))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::Initial;

    fn layout() -> Layout {
        let mut layout = Layout::default();
        layout.add("z", &[40, 30], Initial::Normal(1.0));
        layout.add("a", &[30], Initial::Normal(1.0));
        layout
    }

    fn bytes(precision: Precision, flat: &[f32]) -> Vec<u8> {
        let layout = layout();
        let mut tensors = vec![("known".to_owned(), Stored::Whole(&[1, 2, 3]))];
        tensors.extend(layout.tensors().iter().map(|tensor| {
            let numbers = tensor.slot.of(flat);
            (tensor.name.clone(), Stored::Numbers(numbers, tensor.shape.clone(), precision))
        }));
        write(&[("settings", "{}".into())], &tensors)
    }

    /// A copy at an address as a mapped file has it.
    fn aligned(bytes: &[u8]) -> Vec<u64> {
        let mut words = vec![0_u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        words
    }

    #[test]
    fn f32_is_borrowed_and_others_are_close() {
        let flat = layout().initial(1);
        for (precision, error) in [(Precision::F32, 0.0), (Precision::F16, 4e-3), (Precision::Int8, 2e-2)] {
            let bytes = bytes(precision, &flat);
            let words = aligned(&bytes);
            let view = View::new(&bytemuck::cast_slice(&words)[..bytes.len()]).unwrap();
            let weights = view.weights(&layout()).unwrap();
            assert_eq!(matches!(weights, Cow::Borrowed(_)), precision == Precision::F32);
            assert!(weights.iter().zip(&flat).all(|(a, b)| (a - b).abs() <= error));
            assert_eq!(view.whole("known").unwrap(), [1, 2, 3]);
            assert_eq!(view.metadata("settings").unwrap(), "{}");
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        let bytes = bytes(Precision::F32, &layout().initial(1));
        for length in [0, 7, 9, 100, bytes.len() - 1] {
            assert!(View::new(&bytes[..length]).is_err(), "{length}");
        }
        let mut huge = bytes.clone();
        huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(View::new(&huge).is_err());
        let view = View::new(&bytes).unwrap();
        let mut other = layout();
        other.add("new", &[1], Initial::Constant(0.0));
        assert_eq!(view.weights(&other).unwrap_err().to_string(), "the model has no tensor \"new\"");
        let mut other = Layout::default();
        other.add("a", &[31], Initial::Constant(0.0));
        assert!(matches!(view.weights(&other), Err(NeuralError::TensorShape { .. })));
        assert!(view.whole("a").is_err() && view.numbers("known").is_err());
    }
}
