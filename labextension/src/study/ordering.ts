import { trans } from '../translation';
import { unlocked } from './scrambling';
import { own, type IFinding, type IParsonsPayload } from './payload';

/** A line in the learner's program. */
export interface IPlaced {
  readonly id: string;
  readonly indent: number;
}

export type Program = readonly IPlaced[];

/** What decides whether an order is right. */
export interface IRules {
  readonly after: Readonly<Record<string, readonly string[]>>;
  readonly indent: Readonly<Record<string, number>>;
  readonly distractors: Readonly<Record<string, string>>;
}

export const MAX_INDENT = 8;

/** Put a line in, at a place; a line that is there already is moved. */
export function placed(program: Program, id: string, place: number): Program {
  const from = program.findIndex(line => line.id === id);
  const line = program[from] ?? { id, indent: program[place - 1]?.indent ?? 0 };
  const others = program.filter(one => one.id !== id);
  const target = from !== -1 && from < place ? place - 1 : place;
  return [...others.slice(0, target), line, ...others.slice(target)];
}

export function removed(program: Program, id: string): Program {
  return program.filter(line => line.id !== id);
}

/** Move a line up (-1) or down (1). */
export function moved(program: Program, id: string, by: -1 | 1): Program {
  const from = program.findIndex(line => line.id === id);
  const to = from + by;
  if (from === -1 || to < 0 || to >= program.length) {
    return program;
  }
  const changed = [...program];
  [changed[from], changed[to]] = [changed[to], changed[from]];
  return changed;
}

export function indented(program: Program, id: string, by: -1 | 1): Program {
  return program.map(line =>
    line.id === id ? { id, indent: Math.min(MAX_INDENT, Math.max(0, line.indent + by)) } : line
  );
}

/** The rules of a problem; null when they cannot be read. */
export function rulesOf(problem: IParsonsPayload): IRules | null {
  const text = unlocked(problem.salt, 'parsons', problem.locked);
  try {
    const rules = JSON.parse(text ?? 'null') as Partial<IRules> | null;
    return rules?.after && rules.indent && rules.distractors ? (rules as IRules) : null;
  } catch {
    return null;
  }
}

/** What is right and wrong about an order: the same properties as `check` looks at. */
export function judge(rules: IRules, program: Program, isIndented: boolean): IFinding[] {
  const ids = program.map(line => line.id);
  const extra = ids.filter(id => own(rules.distractors, id) !== undefined);
  const missing = Object.keys(rules.after).filter(id => !ids.includes(id));
  const early = ids.filter((id, place) =>
    (own(rules.after, id) ?? []).some(before => ids.includes(before, place + 1))
  );
  const findings = [
    {
      expected: trans.__('No line that does not belong'),
      passed: extra.length === 0,
      observed:
        extra.length === 0
          ? trans.__('none')
          : trans.__('%1 does not belong: %2', extra[0], rules.distractors[extra[0]])
    },
    {
      expected: trans.__('No line is missing'),
      passed: missing.length === 0,
      observed:
        missing.length === 0
          ? trans.__('none is missing')
          : trans._n('%1 is missing', '%1 are missing', missing.length)
    },
    {
      expected: trans.__('Each line comes after the lines that it needs'),
      passed: early.length === 0,
      observed: early.length === 0 ? trans.__('it does') : trans.__('%1 comes too early', early[0])
    }
  ];
  if (isIndented) {
    const wrong = program.filter(line => {
      const indent = own(rules.indent, line.id);
      return indent !== undefined && line.indent !== indent;
    });
    findings.push({
      expected: trans.__('Each line has its indentation'),
      passed: wrong.length === 0,
      observed: wrong.length === 0 ? trans.__('it does') : trans.__('wrong: %1', wrong[0].id)
    });
  }
  return findings;
}

/** The call that checks the same order in Python. */
export function callOf(problem: IParsonsPayload, program: Program): string {
  const order = problem.indent
    ? `[${program.map(line => `("${line.id}", ${line.indent})`).join(', ')}]`
    : `"${program.map(line => line.id).join(' ')}"`;
  return `check("${problem.exercise}", ${order})`;
}
