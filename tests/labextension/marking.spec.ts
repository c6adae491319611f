import { createHash } from 'crypto';
import * as fs from 'fs';
import * as path from 'path';

import {
  explanationOf,
  feedbackOn,
  isAnswered,
  isRight,
  readNumber,
  rightOptions
} from '../../labextension/src/study/marking';
import { readPayload, type IQuestion } from '../../labextension/src/study/payload';
import {
  hashed,
  numberKey,
  plainText,
  unlocked,
  sha256
} from '../../labextension/src/study/scrambling';

interface IVectors {
  plain: { typed: string; plain: string }[];
  hashes: { salt: string; answer: string; hash: string }[];
  numbers: { number: number; step: number; key: string }[];
  locked: { salt: string; key: string; text: string; noise: string }[];
  questions: {
    question: IQuestion;
    right: (string | string[])[];
    wrong: (string | string[])[];
  }[];
}

/** What Python makes of the same: its own tests hold it to this file too. */
const vectors = JSON.parse(
  fs.readFileSync(path.join(__dirname, '..', 'lessons', 'study', 'vectors.json'), 'utf-8')
) as IVectors;

describe('what was scrambled in Python', () => {
  it.each(vectors.hashes)('hashes $answer', ({ salt, answer, hash }) => {
    expect(hashed(salt, answer)).toBe(hash);
  });

  it('hashes texts of any length as the system does', () => {
    for (let length = 0; length < 200; length++) {
      const message = Uint8Array.from({ length }, (_, place) => (place * 37 + length) % 256);
      const digest = createHash('sha256').update(message).digest('hex');
      expect(Buffer.from(sha256(message)).toString('hex')).toBe(digest);
    }
  });

  it.each(vectors.plain)('reads $typed', ({ typed, plain }) => {
    expect(plainText(typed)).toBe(plain);
  });

  it.each(vectors.numbers)('rounds $number by $step', ({ number, step, key }) => {
    expect(numberKey(number, step)).toBe(key);
  });

  it.each(vectors.locked)('unlocks $noise', ({ salt, key, text, noise }) => {
    expect(unlocked(salt, key, noise)).toBe(text);
  });

  it('is null where it is none of ours', () => {
    expect(unlocked('00', 'a', 'not base64!')).toBeNull();
    expect(unlocked('00', 'a', 'AAAAAAAAAAAAAAAA')).toBeNull();
  });

  it.each(vectors.questions)('judges answers to $question.id', ({ question, right, wrong }) => {
    const answer = (given: string | string[]): string[] =>
      typeof given === 'string' ? [given] : given;
    for (const given of right) {
      expect([given, isRight(question, answer(given))]).toEqual([given, true]);
    }
    for (const given of wrong) {
      expect([given, isRight(question, answer(given))]).toEqual([given, false]);
    }
  });
});

describe('questions', () => {
  const several = vectors.questions.find(({ question }) => question.type === 'several')!.question;
  const number = vectors.questions.find(({ question }) => question.type === 'number')!.question;

  it('find their right options by trying', () => {
    const right = rightOptions(several);
    expect(right).not.toBeNull();
    expect(isRight(several, right!)).toBe(true);
    expect(rightOptions(number)).toBeNull();
    expect(rightOptions({ ...several, answers: ['00'] })).toBeNull();
  });

  it('say why, of the options that have a reason', () => {
    const reasons = several.options.map(option => feedbackOn(several, option.id));
    expect(reasons.filter(reason => reason !== null)).toHaveLength(
      Object.keys(several.feedback).length
    );
    expect(feedbackOn(several, 'zz')).toBeNull();
    expect(feedbackOn(several, 'constructor')).toBeNull();
    expect(explanationOf(several)).toBeNull();
    expect(explanationOf(number)).not.toBeNull();
  });

  it.each([
    ['3.72', 3.72],
    [' 1,000 ', 1000],
    ['1,234,567.5', 1234567.5],
    ['2,5', 2.5],
    ['1e-3', 0.001],
    ['−4', -4],
    ['1 000', 1000],
    ['.5', 0.5],
    ['', null],
    ['four', null],
    ['1.2.3', null],
    ['0x10', null],
    ['Infinity', null],
    ['1e', null]
  ])('read %p as a number', (text, expected) => {
    expect(readNumber(text)).toBe(expected);
    expect(isAnswered(number, [text])).toBe(expected !== null);
  });
});

describe('outputs that come from anywhere', () => {
  const quiz = {
    kind: 'quiz',
    schema_version: 1,
    id: '06',
    title: 'Quiz',
    mode: 'practice',
    questions: [vectors.questions[0].question]
  };

  it('are read', () => {
    expect(readPayload(quiz)).toMatchObject({ kind: 'quiz', title: 'Quiz' });
    expect(readPayload({ kind: 'advice', items: [] })).toEqual({ kind: 'advice', items: [] });
  });

  it.each([
    null,
    7,
    'quiz',
    [],
    {},
    { kind: 'note', text: 'x' },
    { ...quiz, schema_version: 2 },
    { ...quiz, mode: 'other' },
    { ...quiz, questions: 'none' },
    { ...quiz, questions: [{ ...quiz.questions[0], options: [{ id: 1, text: 'x' }] }] },
    { ...quiz, questions: [{ ...quiz.questions[0], type: '__proto__' }] },
    { kind: 'constructor' },
    { kind: 'check', exercise: '06.2', title: 'x', state: 'hacked', findings: [] },
    { kind: 'report', lesson: '06', figures: [1] }
  ])('are left to others when they are not in order: %#', content => {
    expect(readPayload(content)).toBeNull();
  });
});
