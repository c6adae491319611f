import type { LessonExercise } from '../protocol/messages';
import { trans } from '../translation';

type State = LessonExercise['state'];

const SIGNS: Readonly<Record<State, string>> = {
  new: '○',
  not_yet: '…',
  failed: '✗',
  passed: '✓'
};

export function stateSign(state: State): string {
  return SIGNS[state] ?? '○';
}

export function stateWords(state: State): string {
  switch (state) {
    case 'passed':
      return trans.__('passed');
    case 'failed':
      return trans.__('not correct yet');
    case 'not_yet':
      return trans.__('started');
    default:
      return trans.__('not started');
  }
}
