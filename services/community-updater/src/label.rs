//! Label propagation over the whole graph of a group, in memory: every entity takes the label that
//! weighs most among its neighbours, in order of id, until nothing changes or the rounds are used
//! up. The weight of a pair is the number of current facts between them, times one more than the
//! neighbours that they share, so that a bridge between two circles of friends does not join them.
//! Ties go to the entity's own label, then to the smaller one.

use std::collections::{BTreeMap, HashMap};

use mneme_model::EntityId;

/// The most rounds; what has not settled by then keeps its last label.
const ROUNDS: usize = 20;
/// How many neighbours of the less connected of a pair are looked at for shared ones.
const SHARED: usize = 64;

/// Weighted neighbours by entity.
pub type Graph = BTreeMap<EntityId, BTreeMap<EntityId, u64>>;

/// The groups of entities that have one label, each in order of id.
pub fn communities(graph: &Graph) -> Vec<Vec<EntityId>> {
    let ids: Vec<EntityId> = graph.keys().copied().collect();
    let index: HashMap<EntityId, usize> = ids
        .iter()
        .enumerate()
        .map(|(index, id)| (*id, index))
        .collect();
    let neighbours: Vec<Vec<(usize, u64)>> = graph
        .values()
        .map(|near| {
            near.iter()
                .filter_map(|(id, weight)| Some((*index.get(id)?, *weight)))
                .collect()
        })
        .collect();
    let neighbours = closeness(&neighbours);
    let mut labels: Vec<usize> = (0..ids.len()).collect();
    let mut weights: HashMap<usize, u64> = HashMap::new();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (entity, near) in neighbours.iter().enumerate() {
            weights.clear();
            for &(neighbour, weight) in near {
                *weights.entry(labels[neighbour]).or_default() += weight;
            }
            let own = labels[entity];
            let best = weights
                .iter()
                .max_by_key(|&(&label, &weight)| (weight, label == own, std::cmp::Reverse(label)))
                .map(|(&label, _)| label);
            if let Some(best) = best.filter(|&best| best != own) {
                labels[entity] = best;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut groups: BTreeMap<usize, Vec<EntityId>> = BTreeMap::new();
    for (entity, label) in labels.into_iter().enumerate() {
        groups.entry(label).or_default().push(ids[entity]);
    }
    groups.into_values().collect()
}

/// The weights with shared neighbours counted.
fn closeness(neighbours: &[Vec<(usize, u64)>]) -> Vec<Vec<(usize, u64)>> {
    let near = |entity: usize| neighbours.get(entity).map_or(&[][..], Vec::as_slice);
    let knows = |entity: usize, other: usize| {
        near(entity)
            .binary_search_by_key(&other, |(neighbour, _)| *neighbour)
            .is_ok()
    };
    let shared = |a: usize, b: usize| {
        let (fewer, more) = if near(a).len() <= near(b).len() {
            (a, b)
        } else {
            (b, a)
        };
        near(fewer)
            .iter()
            .take(SHARED)
            .filter(|(other, _)| knows(more, *other))
            .count() as u64
    };
    neighbours
        .iter()
        .enumerate()
        .map(|(entity, near)| {
            let weigh = |&(other, weight)| (other, weight * (1 + shared(entity, other)));
            near.iter().map(weigh).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn graph(edges: &[(u128, u128)]) -> Graph {
        let mut graph = Graph::new();
        for &(a, b) in edges {
            let (a, b) = (Uuid::from_u128(a), Uuid::from_u128(b));
            *graph.entry(a).or_default().entry(b).or_default() += 1;
            *graph.entry(b).or_default().entry(a).or_default() += 1;
        }
        graph
    }

    #[test]
    fn two_cliques_with_one_bridge_are_two_communities() {
        let edges = [
            (1, 2),
            (1, 3),
            (2, 3),
            (1, 4),
            (2, 4),
            (3, 4),
            (5, 6),
            (5, 7),
            (6, 7),
            (5, 8),
            (6, 8),
            (7, 8),
            (4, 5),
        ];
        let found = communities(&graph(&edges));
        let sizes: Vec<usize> = found.iter().map(Vec::len).collect();
        assert_eq!(sizes, [4, 4]);
        assert_eq!(found, communities(&graph(&edges)));
    }
}
