import { formatBytes } from '../gauges';
import type { IField } from './schema';
import { trans } from '../translation';

/** What a person has entered, by field; what is missing is at its default. */
export type Entries = Readonly<Record<string, string | boolean | readonly string[]>>;

export type Parsed =
  /** Left at its default. */
  | { readonly kind: 'default' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly sentence: string };

const SIZES = [
  ['GiB', 2 ** 30],
  ['GB', 1e9],
  ['MiB', 2 ** 20],
  ['MB', 1e6]
] as const;
const DEFAULT: Parsed = { kind: 'default' };
const NONE = new Set(['none', 'never']);
/** The first letter says which unit it is. */
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400 };
const UNIT_OF_TIME = /^(s(ec(onds?)?)?|m(in(utes?)?)?|h(ours?)?|d(ays?)?)$/;

/** Read one field. What can be read is checked by the server, while it is typed. */
export function parseEntry(field: IField, entry: Entries[string]): Parsed {
  const parsed = read(field, entry);
  return parsed.kind === 'value' && sameValue(parsed.value, field.default) ? DEFAULT : parsed;
}

/** Read all fields: those that differ from their default, and what is wrong by field. */
export function parseEntries(
  fields: readonly IField[],
  entries: Entries
): { values: Record<string, unknown>; faults: Record<string, string> } {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    const entry = entries[field.name];
    const parsed = entry === undefined ? DEFAULT : parseEntry(field, entry);
    if (parsed.kind === 'value') {
      values[field.name] = parsed.value;
    } else if (parsed.kind === 'fault') {
      faults[field.name] = parsed.sentence;
    }
  }
  return { values, faults };
}

/** What to put into a field for a value, such as one of a preset. */
export function entryOf(field: IField, value: unknown): Entries[string] {
  switch (field.kind) {
    case 'boolean':
      return value === true;
    case 'choices':
    case 'devices':
      return Array.isArray(value) ? value.map(String) : [];
    case 'list':
      return Array.isArray(value) ? value.join(', ') : '';
    case 'switch':
      return typeof value === 'boolean' ? String(value) : '';
    case 'memory':
      return typeof value === 'number' && value >= 1
        ? exactSize(value)
        : textOf(field, value ?? '');
    default:
      return value === null || value === undefined ? '' : textOf(field, value);
  }
}

/** What to put into the fields for a request: that which is not at its default. */
export function entriesFor(
  fields: readonly IField[],
  spec: Readonly<Record<string, unknown>>
): Entries {
  return Object.fromEntries(
    fields
      .filter(({ name }) => name in spec)
      .filter(field => !sameValue(spec[field.name], field.default))
      .map(field => [
        field.name,
        spec[field.name] === null && field.nullable ? 'none' : entryOf(field, spec[field.name])
      ])
  );
}

/** A number of bytes that is read as the same number again. */
function exactSize(bytes: number): string {
  for (const [unit, factor] of SIZES) {
    if (bytes % factor === 0) {
      return `${bytes / factor} ${unit}`;
    }
  }
  return `${bytes}`;
}

/** What an empty text field stands for, shown as its placeholder. */
export function placeholderOf(field: IField): string {
  if (field.empty !== null) {
    return field.empty;
  }
  const isEmpty = Array.isArray(field.default) && field.default.length === 0;
  if (field.default === null || field.default === undefined || field.default === '' || isEmpty) {
    return field.kind === 'integer' || field.kind === 'text'
      ? trans.__('automatic')
      : trans.__('none');
  }
  return textOf(field, field.default);
}

/** A number of seconds as the duration field reads it. */
function durationText(seconds: number): string {
  for (const [unit, factor] of [
    ['h', 3600],
    ['min', 60]
  ] as const) {
    if (seconds >= factor && seconds % factor === 0) {
      return `${seconds / factor} ${unit}`;
    }
  }
  return `${seconds} s`;
}

function textOf(field: IField, value: unknown): string {
  if (typeof value === 'number') {
    if (field.kind === 'memory') {
      return value < 1 ? `${Math.round(value * 1000) / 10}%` : formatBytes(value);
    }
    return field.kind === 'duration' ? durationText(value) : `${value}`;
  }
  if (Array.isArray(value)) {
    return value.join(', ');
  }
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value);
    // Names and values are written as people do; what has parts is JSON.
    return pairs.some(([, one]) => typeof one === 'object')
      ? JSON.stringify(value)
      : pairs.map(([name, one]) => `${name}=${one}`).join(',');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function read(field: IField, entry: Entries[string]): Parsed {
  if (typeof entry === 'boolean') {
    return { kind: 'value', value: entry };
  }
  if (typeof entry !== 'string') {
    return { kind: 'value', value: entry.length === 0 && field.nullable ? null : entry };
  }
  const text = entry.trim();
  if (text === '') {
    return DEFAULT;
  }
  if (field.nullable && NONE.has(text.toLowerCase()) && field.kind !== 'text') {
    return { kind: 'value', value: null };
  }
  switch (field.kind) {
    case 'integer':
      return /^[+-]?\d+$/.test(text)
        ? { kind: 'value', value: Number(text) }
        : fault(trans.__('enter a whole number, e.g. 2'));
    case 'number':
      return Number.isFinite(Number(text))
        ? { kind: 'value', value: Number(text) }
        : fault(trans.__('enter a number'));
    case 'duration':
      return duration(text);
    case 'memory':
      // The server checks how sizes are written, during typing.
      return { kind: 'value', value: text.toLowerCase() === 'auto' ? 'auto' : text };
    case 'list':
      return {
        kind: 'value',
        value: text
          .split(',')
          .map(part => part.trim())
          .filter(Boolean)
      };
    case 'switch':
      return { kind: 'value', value: text === 'true' };
    default:
      return { kind: 'value', value: text };
  }
}

function duration(text: string): Parsed {
  const found = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text);
  const unit = found?.[2].toLowerCase() ?? '';
  if (found === null || !UNIT_OF_TIME.test(unit)) {
    return fault(trans.__('enter a time with its unit, e.g. 30 min or 2 h'));
  }
  return { kind: 'value', value: Math.round(Number(found[1]) * UNIT_SECONDS[unit[0]]) };
}

function fault(sentence: string): Parsed {
  return { kind: 'fault', sentence };
}

function sameValue(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}
