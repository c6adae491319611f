import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';

import type {
  ClassView,
  EventsNoted,
  LessonCopied,
  LessonEvents,
  LessonList
} from '../protocol/messages';

/** The lessons and how far the learner is; one for the whole page. */
export interface ILessonStore {
  /** What the server told last; null before it has, and where there are no lessons. */
  readonly list: LessonList | null;
  /** Whether the server knows lessons; null until it was asked. */
  readonly isAvailable: boolean | null;
  readonly changed: ISignal<ILessonStore, void>;
  refresh(): Promise<void>;
  /** Copy what the learner does not have yet. */
  copy(): Promise<LessonCopied>;
  /** Start a lesson again; the old copy is kept. */
  reset(lesson: string): Promise<LessonCopied>;
  /** Have the copy of a lesson without prose. */
  recall(lesson: string): Promise<LessonCopied>;
  /** Report the answers; null if they are not recorded. Never fails. */
  report(events: LessonEvents['events']): Promise<EventsNoted | null>;
  /** Delete everything that is known about the learner. */
  forget(): Promise<void>;
  classView(): Promise<ClassView>;
}

export const ILessonStore = new Token<ILessonStore>(
  'gpucluster:ILessonStore',
  'The lessons and the progress in them.'
);
