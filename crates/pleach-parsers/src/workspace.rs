//! The memory for parsing, one per thread: every engine keeps its own part in it from sentence to sentence.

use std::any::{Any, TypeId};

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

#[cfg(test)]
mod tests {
    use super::*;

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
