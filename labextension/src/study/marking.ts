import { own, type IQuestion } from './payload';
import { hashed, numberKey, plainText, unlocked } from './scrambling';

/** What a learner has chosen or typed: ids of options, or one text. */
export type Answer = readonly string[];

/** More options than this are not searched for the right ones. */
const SEARCHABLE = 12;

/** Whether there is something to judge. */
export function isAnswered(question: IQuestion, answer: Answer): boolean {
  return question.type === 'number'
    ? readNumber(answer[0] ?? '') !== null
    : answer.some(part => part.trim() !== '');
}

export function isRight(question: IQuestion, answer: Answer): boolean {
  const key = keyOf(question, answer);
  return key !== null && question.answers.includes(hashed(question.salt, key));
}

/** Why an option is right or wrong; null when its author has nothing to say. */
export function feedbackOn(question: IQuestion, option: string): string | null {
  const noise = own(question.feedback, option);
  return noise === undefined ? null : unlocked(question.salt, option, noise);
}

/** What is to be said after any answer. */
export function explanationOf(question: IQuestion): string | null {
  return question.explanation === null
    ? null
    : unlocked(question.salt, 'explanation', question.explanation);
}

/** The options that are right, found by trying; null where there are none or too many. */
export function rightOptions(question: IQuestion): Answer | null {
  const ids = question.options.map(option => option.id);
  if (ids.length === 0 || ids.length > SEARCHABLE) {
    return null;
  }
  for (let bits = 1; bits < 2 ** ids.length; bits++) {
    const chosen = ids.filter((_, place) => (bits >> place) & 1);
    if ((question.type === 'several' || chosen.length === 1) && isRight(question, chosen)) {
      return chosen;
    }
  }
  return null;
}

/** A number as people write it, such as "3.72", "1e-3", "1,000" or "2,5"; null for anything else. */
export function readNumber(text: string): number | null {
  let plain = text.trim().replace(/[\s_]/g, '').replace('−', '-');
  if (/^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(plain)) {
    plain = plain.replace(/,/g, '');
  } else if (/^[+-]?\d*,\d+$/.test(plain)) {
    plain = plain.replace(',', '.');
  }
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

function keyOf(question: IQuestion, answer: Answer): string | null {
  switch (question.type) {
    case 'choice':
    case 'several':
      return [...answer].sort().join(',');
    case 'text':
      return plainText(answer[0] ?? '');
    case 'number': {
      const number = readNumber(answer[0] ?? '');
      return number === null || question.step === null ? null : numberKey(number, question.step);
    }
  }
}
