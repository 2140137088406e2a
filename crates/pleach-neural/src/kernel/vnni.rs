//! Exact sums of products of eight-bit whole numbers by the VNNI instructions of x86-64.
//!
//! `vpdpbusd` multiplies four neighbouring bytes of one operand, without signs, by four of the other, with signs, and adds
//! the products to a whole number of 32 bits; a register of 512 bits does so for 16 columns of W at once. So W is
//! packed in panels of 16 columns, in these by groups of four rows, in these by columns:
//!
//! ```text
//! byte of q_kj = ((j / 16 · groups + k / 4) · 16 + j mod 16) · 4 + k mod 4
//! ```
//!
//! The numbers of x have no signs when 128 is added; what that adds to a column's sum, 128 Σ_k q_kj, is subtracted at the
//! start. A tile of up to 8 rows and 32 columns stays in registers; panels stay in the nearest cache for a block of rows.

use super::panels::{Product, for_each_tile};
use super::product::Target;
use std::arch::is_x86_feature_detected;
use std::arch::x86_64::{
    _mm512_add_epi32, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps, _mm512_mul_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setzero_si512,
};

/// The columns of a panel.
const PANEL: usize = 16;

/// The bytes of a group in a panel.
const GROUP: usize = 4 * PANEL;

/// The rows of x that go through all panels before the next ones do.
const BLOCK: usize = 64;

/// W in whole numbers.
#[derive(Clone, Debug)]
pub struct Packed {
    groups: usize,
    panels: usize,
    bytes: Vec<i8>,
    /// -128 Σ_k q_kj for every column.
    starts: Vec<i32>,
}

impl Packed {
    /// Whether this processor has the instructions.
    pub fn is_supported() -> bool {
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")
    }

    /// Packs whole numbers from -127 to 127, given as floats, row-major.
    pub fn new(numbers: &[f32], rows: usize, columns: usize) -> Self {
        let (groups, panels) = (rows.div_ceil(4), columns.div_ceil(PANEL));
        let mut packed = Packed {
            groups,
            panels,
            bytes: vec![0; panels * groups * GROUP],
            starts: vec![0; panels * PANEL],
        };
        for (k, row) in numbers.chunks_exact(columns).enumerate() {
            for (j, &number) in row.iter().enumerate() {
                let place = ((j / PANEL * groups + k / 4) * PANEL + j % PANEL) * 4 + k % 4;
                packed.bytes[place] = number as i8;
                packed.starts[j] -= 128 * number as i32;
            }
        }
        packed
    }

    /// The columns with what pads them.
    pub fn width(&self) -> usize {
        self.panels * PANEL
    }

    /// The bytes that a row of x has, with what pads it.
    pub fn depth(&self) -> usize {
        4 * self.groups
    }

    /// C += (g f) ∘ (x W) for as many rows as there are g, of which x has [`depth`](Self::depth) bytes each.
    pub fn add_product(&self, x: &[u8], g: &[f32], f: &[f32], columns: usize, c: &mut Target) {
        // A wrong shape, or a processor without the instructions, is a mistake in this crate.
        assert!(
            Self::is_supported()
                && x.len() == g.len() * self.depth()
                && f.len() == self.width()
                && self.bytes.len() == self.panels * self.groups * GROUP
                && (1..=PANEL).contains(&(columns + PANEL - self.panels * PANEL)),
            "shapes of whole numbers"
        );
        let mut product = Product { x, g, f, columns, c };
        for_each_tile(g.len(), self.panels, BLOCK, |(row, rows), (panel, panels)| {
            // SAFETY: the processor has the instructions, see above.
            unsafe {
                match (rows, panels) {
                    (8.., 2..) => self.tile::<8, 2>(&mut product, row, panel),
                    (4.., 2..) => self.tile::<4, 2>(&mut product, row, panel),
                    (_, 2..) => self.tile::<1, 2>(&mut product, row, panel),
                    (8.., _) => self.tile::<8, 1>(&mut product, row, panel),
                    (4.., _) => self.tile::<4, 1>(&mut product, row, panel),
                    (_, _) => self.tile::<1, 1>(&mut product, row, panel),
                }
            }
        });
    }

    /// R rows of C in N panels; gives R back.
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn tile<const R: usize, const N: usize>(
        &self,
        product: &mut Product<'_, '_, u8>,
        row: usize,
        panel: usize,
    ) -> usize {
        let Product { x, g, f, columns, c } = product;
        let columns = *columns;
        let depth = self.depth();
        let x = &x[row * depth..][..R * depth];
        let weights = &self.bytes[panel * self.groups * GROUP..][..N * self.groups * GROUP];
        let mut sums = [[_mm512_setzero_si512(); N]; R];
        // No closures in here: they would not be compiled for these instructions.
        for k in 0..self.groups {
            let mut w = [_mm512_setzero_si512(); N];
            for n in 0..N {
                // SAFETY: panel n of N has `groups` groups of 64 bytes, k is below that.
                w[n] =
                    unsafe { _mm512_loadu_si512(weights.as_ptr().add((n * self.groups + k) * GROUP).cast()) };
            }
            for r in 0..R {
                // SAFETY: row r of R has `depth` bytes, which is four times `groups`.
                let four = unsafe { x.as_ptr().add(r * depth + 4 * k).cast::<i32>().read_unaligned() };
                let four = _mm512_set1_epi32(four);
                for n in 0..N {
                    sums[r][n] = _mm512_dpbusd_epi32(sums[r][n], four, w[n]);
                }
            }
        }
        for n in 0..N {
            let column = (panel + n) * PANEL;
            let (starts, f) = (&self.starts[column..][..PANEL], &f[column..][..PANEL]);
            let wide = PANEL.min(columns - column);
            let mask = (u32::MAX >> (32 - wide)) as u16;
            for r in 0..R {
                let c = &mut c.row_mut(row + r)[column..][..wide];
                // SAFETY: `starts` and `f` have 16 elements, and the mask names those that `c` has.
                unsafe {
                    let starts = _mm512_loadu_si512(starts.as_ptr().cast());
                    let sum = _mm512_add_epi32(sums[r][n], starts);
                    let scale = _mm512_mul_ps(_mm512_set1_ps(g[row + r]), _mm512_loadu_ps(f.as_ptr()));
                    let product = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);
                    let old = _mm512_maskz_loadu_ps(mask, c.as_ptr());
                    _mm512_mask_storeu_ps(c.as_mut_ptr(), mask, _mm512_add_ps(old, product));
                }
            }
        }
        R
    }
}
