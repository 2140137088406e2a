//! Exact sums of products of eight-bit whole numbers by AVX2, for x86-64 processors without VNNI.
//!
//! `vpmaddwd` multiplies two neighbouring numbers of 16 bits by two others and adds the two products, for 8 columns of W at once;
//! `vpaddd` adds that to the sums: 16 products in two instructions, where floats have 8 in one that fewer units can do. So W
//! is packed in panels of 8 columns, in these by groups of two rows, in these by columns:
//!
//! ```text
//! place of q_kj = ((j / 8 · groups + k / 2) · 8 + j mod 8) · 2 + k mod 2
//! ```
//!
//! Invariant: products are below 2¹⁴ and sums below 2²⁴, so nothing overflows. A tile of up to 6 rows and 16 columns stays in
//! registers; panels stay in the nearest cache for a block of rows.

use super::panels::{Product, for_each_tile};
use super::product::Target;
use std::arch::is_x86_feature_detected;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_add_ps, _mm256_cvtepi32_ps, _mm256_loadu_ps, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_mul_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_si256,
    _mm256_storeu_ps,
};

/// The columns of a panel.
const PANEL: usize = 8;

/// The numbers of a group in a panel.
const GROUP: usize = 2 * PANEL;

/// The rows of x that go through all panels before the next ones do.
const BLOCK: usize = 60;

/// W in whole numbers.
#[derive(Clone, Debug)]
pub struct Packed {
    groups: usize,
    panels: usize,
    numbers: Vec<i16>,
}

impl Packed {
    /// Whether this processor has the instructions.
    pub fn is_supported() -> bool {
        is_x86_feature_detected!("avx2")
    }

    /// Packs whole numbers from -127 to 127, given as floats, row-major.
    pub fn new(numbers: &[f32], rows: usize, columns: usize) -> Self {
        let (groups, panels) = (rows.div_ceil(2), columns.div_ceil(PANEL));
        let mut packed = Packed { groups, panels, numbers: vec![0; panels * groups * GROUP] };
        for (k, row) in numbers.chunks_exact(columns).enumerate() {
            for (j, &number) in row.iter().enumerate() {
                let place = ((j / PANEL * groups + k / 2) * PANEL + j % PANEL) * 2 + k % 2;
                packed.numbers[place] = number as i16;
            }
        }
        packed
    }

    /// The columns with what pads them.
    pub fn width(&self) -> usize {
        self.panels * PANEL
    }

    /// The numbers that a row of x has, with what pads it.
    pub fn depth(&self) -> usize {
        2 * self.groups
    }

    /// C += (g f) ∘ (x W) for as many rows as there are g, of which x has [`depth`](Self::depth) numbers each.
    pub fn add_product(&self, x: &[i16], g: &[f32], f: &[f32], columns: usize, c: &mut Target) {
        // A wrong shape, or a processor without the instructions, is a mistake in this crate.
        assert!(
            Self::is_supported()
                && x.len() == g.len() * self.depth()
                && f.len() == self.width()
                && self.numbers.len() == self.panels * self.groups * GROUP
                && (1..=PANEL).contains(&(columns + PANEL - self.panels * PANEL)),
            "shapes of whole numbers"
        );
        let mut product = Product { x, g, f, columns, c };
        for_each_tile(g.len(), self.panels, BLOCK, |(row, rows), (panel, panels)| {
            // SAFETY: the processor has the instructions, see above.
            unsafe {
                match (rows, panels) {
                    (6.., 2..) => self.tile::<6, 2>(&mut product, row, panel),
                    (3.., 2..) => self.tile::<3, 2>(&mut product, row, panel),
                    (_, 2..) => self.tile::<1, 2>(&mut product, row, panel),
                    (6.., _) => self.tile::<6, 1>(&mut product, row, panel),
                    (_, _) => self.tile::<1, 1>(&mut product, row, panel),
                }
            }
        });
    }

    /// R rows of C in N panels; gives R back.
    #[target_feature(enable = "avx2")]
    fn tile<const R: usize, const N: usize>(
        &self,
        product: &mut Product<'_, '_, i16>,
        row: usize,
        panel: usize,
    ) -> usize {
        let Product { x, g, f, columns, c } = product;
        let columns = *columns;
        let depth = self.depth();
        let x = &x[row * depth..][..R * depth];
        let weights = &self.numbers[panel * self.groups * GROUP..][..N * self.groups * GROUP];
        let mut sums = [[_mm256_setzero_si256(); N]; R];
        // No closures in here: they would not be compiled for these instructions.
        for k in 0..self.groups {
            let mut w = [_mm256_setzero_si256(); N];
            for n in 0..N {
                let at = (n * self.groups + k) * GROUP;
                // SAFETY: panel n of N has `groups` groups of 16 numbers, k is below that.
                w[n] = unsafe { _mm256_loadu_si256(weights.as_ptr().add(at).cast::<__m256i>()) };
            }
            for r in 0..R {
                // SAFETY: row r of R has `depth` numbers, which is twice `groups`.
                let two = unsafe { x.as_ptr().add(r * depth + 2 * k).cast::<i32>().read_unaligned() };
                let two = _mm256_set1_epi32(two);
                for n in 0..N {
                    sums[r][n] = _mm256_add_epi32(sums[r][n], _mm256_madd_epi16(two, w[n]));
                }
            }
        }
        for n in 0..N {
            let column = (panel + n) * PANEL;
            let f = &f[column..][..PANEL];
            let wide = PANEL.min(columns - column);
            for r in 0..R {
                let c = &mut c.row_mut(row + r)[column..][..wide];
                let mut old = [0.0; PANEL];
                old[..wide].copy_from_slice(c);
                // SAFETY: `f` and `old` have 8 elements.
                unsafe {
                    let scale = _mm256_mul_ps(_mm256_set1_ps(g[row + r]), _mm256_loadu_ps(f.as_ptr()));
                    let product = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[r][n]), scale);
                    let new = _mm256_add_ps(_mm256_loadu_ps(old.as_ptr()), product);
                    _mm256_storeu_ps(old.as_mut_ptr(), new);
                }
                c.copy_from_slice(&old[..wide]);
            }
        }
        R
    }
}
