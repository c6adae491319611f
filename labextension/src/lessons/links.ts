import type { LessonModel } from '../protocol/messages';

/** Where a link leads: a lesson, and maybe one cell of it. */
export interface ITarget {
  readonly lesson: string;
  readonly exercise: string | null;
  readonly anchor: string | null;
}

/** Read a link such as '06', '06.2' or '06#mean-of-means'; null for anything else. */
export function readLink(link: string): ITarget | null {
  const match = /^(\d\d)(?:(\.\d{1,2})|#([a-z][a-z0-9-]*))?$/.exec(link);
  return match === null
    ? null
    : {
        lesson: match[1],
        exercise: match[2] === undefined ? null : match[1] + match[2],
        anchor: match[3] ?? null
      };
}

/** A cell as far as links know it. */
export interface ICellFacts {
  readonly id: string;
  readonly exercise: string | null;
}

/** The place of the cell that a target means; -1 when the notebook has none. */
export function findCell(cells: readonly ICellFacts[], target: ITarget): number {
  if (target.anchor !== null) {
    return cells.findIndex(cell => cell.id === target.anchor);
  }
  return target.exercise === null ? -1 : cells.findIndex(cell => cell.exercise === target.exercise);
}

/** How many of a lesson's exercises are passed. */
export function passedOf(lesson: LessonModel): number {
  return lesson.exercises.filter(exercise => exercise.state === 'passed').length;
}
