"""Programs that choose and order the keys of dicts by their entries, and make missing entries."""

from __future__ import annotations

import collections
from collections import Counter, defaultdict
from operator import itemgetter

import numpy as np

from tests.programs.corpus import program


@program("v")
def key_of_the_least_entry(x):
    scores = {"a": x[0] ** 2, "b": x[1] ** 2, "c": x[2] ** 2}
    best = min(scores.keys(), key=lambda name: scores[name] * (1 + (name == "c")))
    return scores[best] * 3 + scores[min(scores)]


@program("v")
def best_pair(x):
    scores = {i: v * v for i, v in enumerate(x)}
    key, value = max(scores.items(), key=lambda pair: pair[1])
    return value * (key + 1) + scores[key]


@program("v")
def part_of_the_best_pair(x):
    scores = {i: v * v for i, v in enumerate(x)}
    return max(scores.items(), key=itemgetter(1))[1] * x[0]


@program("v")
def pairs_in_an_order(x):
    scores = {i: v * v for i, v in enumerate(x)}
    total = 0.0
    for key, value in sorted(scores.items(), key=lambda pair: pair[1], reverse=True)[:3]:
        total = total * key + value
    for key, value in list(scores.items()):
        total += key * value
    return total


@program("v")
def pairs_whose_keys_are_pairs(x):
    weights = {(i, i + 1): v * v for i, v in enumerate(x)}
    total = 0.0
    for (i, j), value in sorted(weights.items()):
        total = total * i + value * j
    return total


@program("v")
def sum_over_pairs_in_an_order(x):
    scores = {i: v * v for i, v in enumerate(x)}
    ranked = sorted(scores.items(), key=itemgetter(1))
    return sum(k * v for k, v in sorted(scores.items())[1:] if v < 0.4) + ranked[0][1] * x[1]


@program("v")
def pairs_in_an_order_whose_dict_changes(x):
    scores = {i: v * v for i, v in enumerate(x)}
    total = 0.0
    for key, value in sorted(scores.items(), key=lambda pair: pair[1]):
        scores[0] = scores[0] + value
        total = total * key + value
    return total


@program("v")
def keys_listed_and_taken_out(x):
    scores = {i: v * v for i, v in enumerate(x)}
    names = sorted(scores, key=scores.get)
    total = scores[names[0]] * scores[list(scores)[1]]
    while len(scores) > 2:
        total = total * 2 + scores.pop(min(scores, key=scores.get))
    return total


def _best(scores):
    return max(scores, key=scores.get)


@program("v")
def best_key_by_a_helper(x):
    scores = {i: v * v for i, v in enumerate(x)}
    return scores[_best(scores)] * 2 + x[_best(scores)]


@program("v", by="tape")
def best_of_keys_that_vary(x):
    weights = {x[0]: 1.0, x[1]: 2.0}
    return max(weights, key=weights.get) * x[2]


@program("v")
def groups_by_key(x):
    groups = defaultdict(list)
    for i, v in enumerate(x):
        groups[i % 2].append(v * v)
    return sum(np.prod(np.array(values)) for values in groups.values())


@program("v")
def means_by_key(x):
    sums = collections.defaultdict(float)
    sizes = defaultdict(int)
    for i, v in enumerate(x):
        sums[i % 2, i > 2] += v * v
        sizes[i % 2, i > 2] += 1
    return sum((sums[key] / sizes[key]) ** 2 for key in sums)


@program("v")
def arrays_by_key(x):
    sums = defaultdict(lambda: np.zeros(2))
    for i, v in enumerate(x):
        sums[i % 3] += v * x[:2]
    return sum(np.sum(value**2) * key for key, value in sums.items())


@program("v")
def elements_by_key(x):
    sums = defaultdict(lambda: np.zeros(2))
    for i, v in enumerate(x):
        sums[i % 3][i % 2] += v * v
    return sum(np.sum(value**2) * key for key, value in sums.items())


@program("v")
def entries_scaled_pair_by_pair(x):
    scores = {i: v * v for i, v in enumerate(x)}
    for key, value in list(scores.items()):
        scores[key] = value * 2 * x[0]
    for key in sorted(scores):
        scores[key] += x[1]
    return sum(scores.values()) * scores[1]


@program("v")
def entries_that_are_read_before(x):
    sums = defaultdict(float)
    for i in range(3):
        sums[i] = x[i]
    missing = sums[7] + sums[1] * len(sums)
    return missing * (7 in sums) + missing * (8 in sums)


@program("v")
def counts_that_are_read_before(x):
    counts = Counter()
    for i in range(3):
        counts[i] += x[i]
    missing = counts[7] + counts[1] * len(counts)
    return missing * (7 in counts) + missing


class _Tally:
    def __init__(self):
        self.sums = defaultdict(float)
        self.sizes = Counter()

    def add(self, key, value):
        self.sums[key] += value
        self.sizes[key] += 1


@program("v")
def counts_in_an_object(x):
    tally = _Tally()
    for i, v in enumerate(x):
        tally.add(i % 2, v * v)
    return tally.sums[0] / tally.sizes[0] + tally.sums[1] / tally.sizes[1]


@program("v", by="tape")
def entry_under_two_names(x):
    sums = defaultdict(float)
    sums[0] = x * 1.0
    kept = sums[0]
    sums[0] += 2.0 * x
    return np.sum(kept * x)


@program("v", by="tape")
def counts_that_are_counted_while_they_grow(x):
    counts = Counter()
    for i, v in enumerate(x):
        counts[i % 2] += v * len(counts)
    return counts[0] + counts[1]


@program("v", by="tape")
def lists_by_key_that_are_joined(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % 2, [])
        groups[i % 2] += [v, v * 2]
    return sum(groups[0]) * groups[1][1]


def _put_joined(out, x):
    rows = {0: []}
    for v in x:
        rows[0] += [v]
    out[0] = rows[0][1] * rows[0][0]


@program("v", by="tape")
def lists_by_key_that_a_writing_helper_joins(x):
    out = np.zeros(2)
    _put_joined(out, x)
    return out[0]


@program("v")
def list_that_a_dict_was_before(x):
    best = {"a": x[0], "b": x[1]}
    name = max(best, key=best.get)
    best = [best[name], x[2]]
    return max(best) * x[0] + min(best)


@program("v")
def edges_by_node_or_none(x):
    graph = {0: [(1, x[0]), (2, x[1])], 1: [(3, x[2])], 2: [(3, x[3])]}
    distance = {0: 0.0}
    for u in range(4):
        for v, w in graph.get(u, []):
            if v not in distance or distance[u] + w < distance[v]:
                distance[v] = distance[u] + w
    return distance[3] ** 2


@program("v", by="tape")
def children_or_none(x):
    def total(node):
        return node["v"] ** 2 + sum(total(child) for child in node.get("children", []))

    return total({"v": x[0], "children": [{"v": x[1], "children": []}, {"v": x[2]}]}) * x[3]


@program("v", by="tape")
def keys_of_a_dict_or_none(x):
    graph = {0: {0: x[0], 1: x[1]}, 1: {1: x[2], 0: x[3]}}
    total = 0.0
    for u in range(3):
        for v in graph.get(u, []):
            total += (v + 1) * x[u]
    return total


@program("v", by="tape")
def keys_that_vary_of_a_dict_in_a_list(x):
    rows = [{x[0]: x[1], x[2]: x[3]}]
    return sum(key * value for key, value in rows[0].items())


@program("v")
def keys_of_dicts_in_a_list_in_their_order(x):
    rows = [{"b": x[0]}, {"c": x[1], "a": x[2]}]
    total = 0.0
    for row in rows:
        for key in sorted(row.keys()):
            total = total * 0.5 + row[key] ** 2
        for key in reversed(list(row.keys())):
            total = total * 1.5 + row[key]
    return total
