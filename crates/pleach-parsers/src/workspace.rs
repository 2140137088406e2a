//! The memory for parsing, one per thread: every engine keeps its own part in it from sentence to sentence.

use std::any::{Any, TypeId};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Memory by type; a part is made when it is first asked for.
#[derive(Debug, Default)]
pub struct Workspace {
    parts: Vec<(TypeId, Box<dyn Any + Send>)>,
}

impl Workspace {
    /// The part of a type.
    pub fn part<T: Default + Send + 'static>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let place = self.parts.iter().position(|(other, _)| *other == id).unwrap_or_else(|| {
            self.parts.push((id, Box::new(T::default())));
            self.parts.len() - 1
        });
        match self.parts[place].1.downcast_mut() {
            Some(part) => part,
            None => unreachable!("parts are stored under their own type"),
        }
    }
}

/// Workspaces that nobody uses just now: who parses chunk after chunk finds the memory of the last one.
#[derive(Debug, Default)]
pub(crate) struct Spares(Mutex<Vec<Workspace>>);

impl Spares {
    /// One that comes back when it is dropped; a new one if all are lent.
    pub fn lend(&self) -> Lent<'_> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent { workspace: spare.unwrap_or_default(), home: self }
    }
}

/// A workspace of [`Spares`].
#[derive(Debug)]
pub(crate) struct Lent<'a> {
    workspace: Workspace,
    home: &'a Spares,
}

impl Deref for Lent<'_> {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        &self.workspace
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Workspace {
        &mut self.workspace
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // Who panicked may have left anything in it.
        if !std::thread::panicking() {
            let workspace = std::mem::take(&mut self.workspace);
            self.home.0.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lent_comes_back() {
        let spares = Spares::default();
        {
            let (mut one, mut other) = (spares.lend(), spares.lend());
            one.part::<String>().push('x');
            other.part::<String>().push('y');
        }
        let (mut one, mut other, mut new) = (spares.lend(), spares.lend(), spares.lend());
        let mut kept = [&mut one, &mut other, &mut new].map(|lent| lent.part::<String>().clone());
        kept.sort();
        assert_eq!(kept, ["", "x", "y"]);
    }

    #[test]
    fn parts_are_kept_by_type() {
        let mut workspace = Workspace::default();
        workspace.part::<Vec<u8>>().push(1);
        workspace.part::<String>().push('x');
        workspace.part::<Vec<u8>>().push(2);
        assert_eq!(workspace.part::<Vec<u8>>(), &[1, 2]);
        assert_eq!(workspace.part::<String>(), "x");
    }
}
