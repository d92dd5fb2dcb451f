//! A case's episodes in every order, each order in groups of its own (`<group>-o<n>`), so that one
//! store holds them all and none sees another.

use serde_json::Value;

use crate::case::Case;

/// The most orders that are run; five episodes have exactly as many.
pub(crate) const MOST_ORDERS: usize = 120;

/// The case once for each order of its single episodes; the other steps keep their places.
pub(crate) fn all_orders(case: &Case) -> Vec<Case> {
    let places: Vec<usize> = (0..case.steps.len())
        .filter(|&index| case.steps[index].get("episode").is_some())
        .collect();
    let groups = case.groups();
    orders(places.len())
        .into_iter()
        .enumerate()
        .map(|(number, order)| {
            let mut ordered = case.clone();
            for (place, from) in places.iter().zip(order) {
                ordered.steps[*place] = case.steps[places[from]].clone();
            }
            let rename = |group: &str| format!("{group}-o{}", number + 1);
            let parts = ordered.steps.iter_mut().chain(ordered.expect.iter_mut());
            parts.for_each(|part| in_groups(part, &groups, &rename));
            ordered
        })
        .collect()
}

/// All orders of so many things or, where there are more than [`MOST_ORDERS`], that many of them,
/// spread evenly from the order given to its reverse.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let total = (1..=count as u128).product::<u128>();
    let taken = total.min(MOST_ORDERS as u128);
    (0..taken)
        .map(|index| nth_order(count, index * (total - 1) / (taken - 1).max(1)))
        .collect()
}

/// The n-th order by the order of its numbers.
fn nth_order(count: usize, mut index: u128) -> Vec<usize> {
    let mut left: Vec<usize> = (0..count).collect();
    let mut order = Vec::with_capacity(count);
    for remaining in (0..count as u128).rev() {
        let block = (1..=remaining).product::<u128>();
        order.push(left.remove((index / block) as usize));
        index %= block;
    }
    order
}

/// Renames the groups wherever a step or expectation names one, but not in what an episode says.
fn in_groups(part: &mut Value, groups: &[String], rename: &dyn Fn(&str) -> String) {
    match part {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match (key.as_str(), &mut *value) {
                    ("metadata" | "extraction", _) => {}
                    ("group_id" | "erase_group", Value::String(group)) => *group = rename(group),
                    ("group_ids", Value::Array(list)) => {
                        for group in list {
                            if let Value::String(group) = group {
                                *group = rename(group);
                            }
                        }
                    }
                    ("path", Value::String(path)) => *path = path_in_group(path, groups, rename),
                    (_, value) => in_groups(value, groups, rename),
                }
            }
        }
        Value::Array(list) => list
            .iter_mut()
            .for_each(|part| in_groups(part, groups, rename)),
        _ => {}
    }
}

fn path_in_group(path: &str, groups: &[String], rename: &dyn Fn(&str) -> String) -> String {
    let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
    for index in 1..segments.len() {
        if segments[index - 1] == "groups" && groups.contains(&segments[index]) {
            segments[index] = rename(&segments[index]);
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    fn case(episodes: usize) -> Case {
        let mut steps: Vec<Value> = (0..episodes)
            .map(|n| json!({"episode": {"group_id": "g", "episode_id": format!("e{n}")}}))
            .collect();
        steps.insert(
            1,
            json!({"http": {"method": "GET", "path": "/v1/groups/g/facts"}, "status": 200}),
        );
        let expect = json!([{"search": {"group_ids": ["g"], "query": "g"}, "contains": ["g"]}]);
        serde_json::from_value(json!({"id": "c", "steps": steps, "expect": expect})).unwrap()
    }

    #[test]
    fn every_order_once_each_in_its_own_group() {
        let ordered = all_orders(&case(3));
        assert_eq!(ordered.len(), 6);
        let ids = |case: &Case| -> Vec<String> {
            case.episodes()
                .map(|e| e["episode_id"].to_string())
                .collect()
        };
        assert_eq!(ordered.iter().map(ids).collect::<BTreeSet<_>>().len(), 6);
        assert_eq!(ordered[0].episodes().next().unwrap()["episode_id"], "e0");
        let last = &ordered[5];
        assert_eq!(last.groups(), ["g-o6"]);
        assert_eq!(last.steps[1]["http"]["path"], "/v1/groups/g-o6/facts");
        assert_eq!(
            last.expect[0],
            json!({"search": {"group_ids": ["g-o6"], "query": "g"},
            "contains": ["g"]})
        );
    }

    #[test]
    fn many_episodes_give_a_spread_of_distinct_orders() {
        assert_eq!(orders(5).len(), 120);
        let spread = orders(7);
        assert_eq!(spread.len(), MOST_ORDERS);
        assert_eq!(spread.iter().collect::<BTreeSet<_>>().len(), MOST_ORDERS);
        assert_eq!(spread[0], [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(spread[MOST_ORDERS - 1], [6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(orders(0), [Vec::<usize>::new()]);
        assert_eq!(orders(1), [[0]]);
    }
}
