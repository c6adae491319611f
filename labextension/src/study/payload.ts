/** What lessons leave in a notebook, after a look at it: an output may come from anywhere. */

export const LESSON_MIME = 'application/vnd.gpucluster.lesson.v1+json';

export interface IOption {
  readonly id: string;
  readonly text: string;
}

export interface IQuestion {
  readonly id: string;
  readonly type: 'choice' | 'several' | 'number' | 'text';
  readonly lesson: string;
  readonly link: string;
  readonly stem: string;
  readonly code: string | null;
  readonly unit: string | null;
  readonly options: readonly IOption[];
  readonly salt: string;
  readonly answers: readonly string[];
  readonly step: number | null;
  readonly feedback: Readonly<Record<string, string>>;
  readonly explanation: string | null;
}

export interface IQuizPayload {
  readonly kind: 'quiz';
  readonly id: string;
  readonly title: string;
  readonly mode: 'practice' | 'exam';
  readonly questions: readonly IQuestion[];
}

export interface ICard {
  readonly id: string;
  readonly link: string;
  readonly front: string;
  readonly back: string;
  readonly name: string | null;
}

export interface ICardsPayload {
  readonly kind: 'cards';
  readonly id: string;
  readonly title: string;
  readonly cards: readonly ICard[];
}

export interface IParsonsPayload {
  readonly kind: 'parsons';
  readonly exercise: string;
  readonly title: string;
  readonly prompt: string;
  readonly indent: boolean;
  readonly lines: readonly IOption[];
  readonly salt: string;
  readonly locked: string;
}

export interface IAdvice {
  readonly title: string;
  readonly score: number;
  readonly why: string;
  readonly link: string;
  readonly cards: readonly string[];
  readonly exercise: string | null;
  readonly exerciseTitle: string | null;
}

export interface IAdvicePayload {
  readonly kind: 'advice';
  readonly items: readonly IAdvice[];
}

export interface IFinding {
  readonly expected: string;
  readonly passed: boolean;
  readonly observed: string;
}

export interface ICheckPayload {
  readonly kind: 'check';
  readonly exercise: string;
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'not_yet' | 'unavailable';
  readonly findings: readonly IFinding[];
  readonly message: string;
  readonly next_step: string;
  readonly nHints: number;
  readonly nHintsSeen: number;
}

export type Plain = string | number | boolean | null;

export interface IPredictionPayload {
  readonly kind: 'prediction';
  readonly question: string;
  readonly predicted: Plain;
  readonly observed: Plain;
  readonly unit: string;
}

export interface IReportPayload {
  readonly kind: 'report';
  readonly lesson: string;
  readonly figures: readonly (readonly [string, Plain])[];
}

export type LessonPayload =
  | IQuizPayload
  | ICardsPayload
  | IParsonsPayload
  | IAdvicePayload
  | ICheckPayload
  | IPredictionPayload
  | IReportPayload;

class Unreadable extends Error {}

/** The content of an output; null for what this version does not know. */
export function readPayload(data: unknown): LessonPayload | null {
  try {
    const entry = record(data);
    if ((entry.schema_version ?? 1) !== 1) {
      return null;
    }
    const read = READERS.get(text(entry.kind));
    return read === undefined ? null : read(entry);
  } catch (error) {
    if (error instanceof Unreadable) {
      return null;
    }
    throw error;
  }
}

/** What a record from outside says under a name; names that every object has, such as "constructor", say nothing. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.prototype.hasOwnProperty.call(record, name) ? record[name] : undefined;
}

type Entry = Readonly<Record<string, unknown>>;

const READERS = new Map<string, (entry: Entry) => LessonPayload>(
  Object.entries<(entry: Entry) => LessonPayload>({
    quiz: entry => ({
      kind: 'quiz',
      id: text(entry.id),
      title: text(entry.title),
      mode: oneOf(entry.mode, ['practice', 'exam']),
      questions: list(entry.questions, question)
    }),
    cards: entry => ({
      kind: 'cards',
      id: text(entry.id),
      title: text(entry.title),
      cards: list(entry.cards, card)
    }),
    parsons: entry => ({
      kind: 'parsons',
      exercise: text(entry.exercise),
      title: text(entry.title),
      prompt: text(entry.prompt),
      indent: flag(entry.indent),
      lines: list(entry.lines, option),
      salt: text(entry.salt),
      locked: text(entry.locked)
    }),
    advice: entry => ({ kind: 'advice', items: list(entry.items, advice) }),
    check: entry => ({
      kind: 'check',
      exercise: text(entry.exercise),
      title: text(entry.title),
      state: oneOf(entry.state, ['passed', 'failed', 'not_yet', 'unavailable']),
      findings: list(entry.findings, finding),
      message: text(entry.message),
      next_step: text(entry.next_step),
      nHints: count(entry.n_hints),
      nHintsSeen: count(entry.n_hints_seen)
    }),
    prediction: entry => ({
      kind: 'prediction',
      question: text(entry.question),
      predicted: plain(entry.predicted),
      observed: plain(entry.observed),
      unit: text(entry.unit)
    }),
    report: entry => ({
      kind: 'report',
      lesson: text(entry.lesson),
      figures: Object.entries(record(entry.figures)).map(([name, value]) => [name, plain(value)])
    })
  })
);

function question(value: unknown): IQuestion {
  const entry = record(value);
  return {
    id: text(entry.id),
    type: oneOf(entry.type, ['choice', 'several', 'number', 'text']),
    lesson: text(entry.lesson),
    link: text(entry.link),
    stem: text(entry.stem),
    code: textOrNull(entry.code),
    unit: textOrNull(entry.unit),
    options: list(entry.options, option),
    salt: text(entry.salt),
    answers: list(entry.answers, text),
    step: typeof entry.step === 'number' && entry.step > 0 ? entry.step : null,
    feedback: Object.fromEntries(
      Object.entries(record(entry.feedback)).map(([name, noise]) => [name, text(noise)])
    ),
    explanation: textOrNull(entry.explanation)
  };
}

function card(value: unknown): ICard {
  const entry = record(value);
  return {
    id: text(entry.id),
    link: text(entry.link),
    front: text(entry.front),
    back: text(entry.back),
    name: textOrNull(entry.name)
  };
}

function advice(value: unknown): IAdvice {
  const entry = record(value);
  return {
    title: text(entry.title),
    score: typeof entry.score === 'number' ? entry.score : 0,
    why: text(entry.why),
    link: text(entry.link),
    cards: list(entry.cards, text),
    exercise: textOrNull(entry.exercise),
    exerciseTitle: textOrNull(entry.exercise_title)
  };
}

function finding(value: unknown): IFinding {
  const entry = record(value);
  return {
    expected: text(entry.expected),
    passed: flag(entry.passed),
    observed: text(entry.observed)
  };
}

function option(value: unknown): IOption {
  const entry = record(value);
  return { id: text(entry.id), text: text(entry.text) };
}

function record(value: unknown): Entry {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Unreadable();
  }
  return value as Entry;
}

function list<T>(value: unknown, read: (entry: unknown) => T): T[] {
  if (!Array.isArray(value)) {
    throw new Unreadable();
  }
  return value.map(read);
}

function text(value: unknown): string {
  if (typeof value !== 'string') {
    throw new Unreadable();
  }
  return value;
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : text(value);
}

function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') {
    throw new Unreadable();
  }
  return value;
}

/** A small number; outputs of before have none. */
function count(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? Math.min(Math.max(value, 0), 9) : 0;
}

function plain(value: unknown): Plain {
  if (value === null || value === undefined) {
    return null;
  }
  if (typeof value === 'object') {
    return JSON.stringify(value);
  }
  return value as Plain;
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T {
  const found = allowed.find(one => one === value);
  if (found === undefined) {
    throw new Unreadable();
  }
  return found;
}
