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
    return READERS.get(text(entry.kind))?.(entry) ?? null;
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

type Reader<T> = (value: unknown, entry: Entry) => T;

/** Reads a record field by field. */
function shape<T>(readers: { readonly [K in keyof T]: Reader<T[K]> }): (value: unknown) => T {
  return value => {
    const entry = record(value);
    return Object.fromEntries(
      Object.entries<Reader<unknown>>(readers).map(([name, read]) => [
        name,
        read(entry[name], entry)
      ])
    ) as T;
  };
}

const option = shape<IOption>({ id: text, text });

const question = shape<IQuestion>({
  id: text,
  type: oneOf(['choice', 'several', 'number', 'text']),
  lesson: text,
  link: text,
  stem: text,
  code: textOrNull,
  unit: textOrNull,
  options: list(option),
  salt: text,
  answers: list(text),
  step: value => (typeof value === 'number' && value > 0 ? value : null),
  feedback: value =>
    Object.fromEntries(Object.entries(record(value)).map(([name, noise]) => [name, text(noise)])),
  explanation: textOrNull
});

const card = shape<ICard>({ id: text, link: text, front: text, back: text, name: textOrNull });

const advice = shape<IAdvice>({
  title: text,
  why: text,
  link: text,
  cards: list(text),
  exercise: textOrNull,
  exerciseTitle: (_, entry) => textOrNull(entry.exercise_title)
});

const finding = shape<IFinding>({ expected: text, passed: flag, observed: text });

const READERS = new Map<string, (value: unknown) => LessonPayload>([
  [
    'quiz',
    shape<IQuizPayload>({
      kind: oneOf(['quiz']),
      id: text,
      title: text,
      mode: oneOf(['practice', 'exam']),
      questions: list(question)
    })
  ],
  [
    'cards',
    shape<ICardsPayload>({ kind: oneOf(['cards']), id: text, title: text, cards: list(card) })
  ],
  [
    'parsons',
    shape<IParsonsPayload>({
      kind: oneOf(['parsons']),
      exercise: text,
      title: text,
      prompt: text,
      indent: flag,
      lines: list(option),
      salt: text,
      locked: text
    })
  ],
  ['advice', shape<IAdvicePayload>({ kind: oneOf(['advice']), items: list(advice) })],
  [
    'check',
    shape<ICheckPayload>({
      kind: oneOf(['check']),
      exercise: text,
      title: text,
      state: oneOf(['passed', 'failed', 'not_yet', 'unavailable']),
      findings: list(finding),
      message: text,
      next_step: text,
      nHints: (_, entry) => count(entry.n_hints),
      nHintsSeen: (_, entry) => count(entry.n_hints_seen)
    })
  ],
  [
    'prediction',
    shape<IPredictionPayload>({
      kind: oneOf(['prediction']),
      question: text,
      predicted: plain,
      observed: plain,
      unit: text
    })
  ],
  [
    'report',
    shape<IReportPayload>({
      kind: oneOf(['report']),
      lesson: text,
      figures: value => Object.entries(record(value)).map(([name, one]) => [name, plain(one)])
    })
  ]
]);

function record(value: unknown): Entry {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Unreadable();
  }
  return value as Entry;
}

function list<T>(read: (value: unknown) => T): (value: unknown) => T[] {
  return value => {
    if (!Array.isArray(value)) {
      throw new Unreadable();
    }
    return value.map(one => read(one));
  };
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

function oneOf<T extends string>(allowed: readonly T[]): (value: unknown) => T {
  return value => {
    const found = allowed.find(one => one === value);
    if (found === undefined) {
      throw new Unreadable();
    }
    return found;
  };
}
