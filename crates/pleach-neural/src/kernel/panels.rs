//! What products of whole numbers share, whatever instructions they are made of: W lies in panels of columns, and C is made in tiles of
//! some rows and one or two panels, which stay in registers.

use super::product::Target;

/// A product that is under way: C += (g f) ∘ (x W).
pub struct Product<'a, 'c, T> {
    /// The rows of x as whole numbers, padded.
    pub x: &'a [T],
    /// The factor of every row of x.
    pub g: &'a [f32],
    /// The factor of every column of W, padded.
    pub f: &'a [f32],
    /// The columns of C.
    pub columns: usize,
    /// C.
    pub c: &'a mut Target<'c>,
}

/// Goes through all tiles: panels stay in the nearest cache for a block of rows. `tile` gets a row and how many are left of its block, a
/// panel and how many are left, makes as much of it as it likes, up to two panels, and gives how many rows that was.
pub fn for_each_tile(
    rows: usize,
    panels: usize,
    block: usize,
    mut tile: impl FnMut((usize, usize), (usize, usize)) -> usize,
) {
    for from in (0..rows).step_by(block) {
        let until = rows.min(from + block);
        for panel in (0..panels).step_by(2) {
            let mut row = from;
            while row < until {
                row += tile((row, until - row), (panel, panels - panel));
            }
        }
    }
}
