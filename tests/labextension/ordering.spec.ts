import {
  callOf,
  indented,
  judge,
  MAX_INDENT,
  moved,
  placed,
  removed,
  rulesOf,
  type IRules,
  type Program
} from '../../labextension/src/study/ordering';
import type { IParsonsPayload } from '../../labextension/src/study/payload';

const rules: IRules = {
  after: { A: [], B: ['A'], C: ['A'], D: ['B', 'C'] },
  indent: { A: 0, B: 1, C: 1, D: 0 },
  distractors: { X: 'It is the mean of means.' }
};
const program = (text: string): Program =>
  text.split(' ').map(part => ({ id: part[0], indent: Number(part[1] ?? 0) }));
const ids = (lines: Program): string => lines.map(line => line.id).join('');

describe('a program of lines', () => {
  it('takes lines in, anywhere', () => {
    expect(ids(placed(program('A B'), 'C', 2))).toBe('ABC');
    expect(ids(placed(program('A B'), 'C', 0))).toBe('CAB');
    // A line that is dropped further down lands where it was dropped.
    expect(ids(placed(program('A B C'), 'A', 2))).toBe('BAC');
    expect(ids(placed(program('A B C'), 'C', 0))).toBe('CAB');
    // It begins as far in as the line above it.
    expect(placed(program('A B1'), 'C', 2)[2].indent).toBe(1);
  });

  it('moves, indents and gives up lines, within bounds', () => {
    expect(ids(moved(program('A B'), 'B', -1))).toBe('BA');
    expect(ids(moved(program('A B'), 'B', 1))).toBe('AB');
    expect(ids(moved(program('A B'), 'Z', 1))).toBe('AB');
    expect(indented(program('A0'), 'A', -1)[0].indent).toBe(0);
    expect(indented(program('A8'), 'A', 1)[0].indent).toBe(MAX_INDENT);
    expect(ids(removed(program('A B'), 'A'))).toBe('B');
  });
});

describe('an order', () => {
  const failed = (order: string): string[] =>
    judge(rules, program(order), true)
      .filter(finding => !finding.passed)
      .map(finding => finding.observed);

  it('is right whenever the rules hold', () => {
    expect(failed('A0 B1 C1 D0')).toEqual([]);
    expect(failed('A0 C1 B1 D0')).toEqual([]);
  });

  it('is wrong with the reason', () => {
    expect(failed('A0 B1 C1')).toEqual(['1 is missing']);
    expect(failed('A0 D0 B1 C1')).toEqual(['D comes too early']);
    expect(failed('A0 B0 C1 D0')).toEqual(['wrong: B']);
    expect(failed('A0 X0 B1 C1 D0')).toEqual(['X does not belong: It is the mean of means.']);
  });

  it('knows names that every object has as lines like any other', () => {
    const [first, second] = ['constructor', 'toString'];
    const line = (id: string) => ({ id, indent: 0 });
    const none = { after: {}, indent: {}, distractors: {} };
    const findings = judge(none, [line(first), line(second)], true);
    expect(findings.every(finding => finding.passed)).toBe(true);
    const ordered = { ...none, after: { [first]: [], [second]: [first] } };
    expect(judge(ordered, [line(second), line(first)], true)[2].observed).toBe(
      'toString comes too early'
    );
  });

  it('looks at indentation only where it is part of the problem', () => {
    const findings = judge(rules, program('A0 B0 C0 D0'), false);
    expect(findings.every(finding => finding.passed)).toBe(true);
  });
});

describe('a problem', () => {
  const problem: IParsonsPayload = {
    kind: 'parsons',
    exercise: '06.1',
    title: '',
    prompt: '',
    indent: false,
    lines: [],
    salt: '00',
    locked: 'AAAA'
  };

  it('has no rules when they cannot be read', () => {
    expect(rulesOf(problem)).toBeNull();
  });

  it('is checked in Python by the same call', () => {
    expect(callOf(problem, program('B A'))).toBe('check("06.1", "B A")');
    expect(callOf({ ...problem, indent: true }, program('B0 A1'))).toBe(
      'check("06.1", [("B", 0), ("A", 1)])'
    );
  });
});
