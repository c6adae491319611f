import { caretRightIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import * as CommandIDs from '../actions/commandids';
import { Fragment, h, useState } from '../jsx';
import type { LessonExercise, LessonModel } from '../protocol/messages';
import { passedOf } from './links';
import { stateSign, stateWords } from './states';
import { trans } from '../translation';

interface ILessonRowProps {
  readonly lesson: LessonModel;
  readonly isNext: boolean;
  readonly commands: CommandRegistry;
}

/** One lesson: a line, and behind it what it is about, its exercises and what can be done with it. */
export function LessonRow({ lesson, isNext, commands }: ILessonRowProps): JSX.Element {
  const { id, title, minutes, exercises, questions, cards } = lesson;
  const passed = passedOf(lesson);
  const [isOpen, setOpen] = useState(false);
  const run = (command: string, args: Record<string, string>) => () =>
    void commands.execute(command, args);
  return (
    <li className="gpc-Lesson" data-next={isNext}>
      <div className="gpc-Lesson-row">
        <button
          className="gpc-Lesson-toggle"
          aria-label={trans.__('Details of lesson %1', id)}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <caretRightIcon.react tag="span" className="gpc-Button-icon" />
        </button>
        <button
          className="gpc-Lesson-title"
          title={trans.__('Open lesson %1: %2', id, title)}
          onClick={run(CommandIDs.openLesson, { link: id })}
        >
          <b>{id}</b> {title}
        </button>
        {exercises.length > 0 && (
          <span className="gpc-Lesson-facts">
            {passed}/{exercises.length}
            <span className="gpc-mod-hidden"> {trans.__('exercises passed')}</span>
          </span>
        )}
        {exercises.length > 0 && <Steps exercises={exercises} />}
      </div>
      {isOpen && (
        <div className="gpc-Lesson-body">
          <p>
            {trans.__('%1 min', minutes)}
            {' · '}
            {lesson.needs === 'gpu' ? trans.__('needs a GPU') : trans.__('CPU or GPU')}
          </p>
          {lesson.objectives.length > 0 && (
            <>
              <p>{trans.__('Afterwards you can')}</p>
              <ul className="gpc-Lesson-objectives">
                {lesson.objectives.map(objective => (
                  <li key={objective}>{objective}</li>
                ))}
              </ul>
            </>
          )}
          <ul className="gpc-ExerciseList" aria-label={trans.__('Exercises of lesson %1', id)}>
            {exercises.map(exercise => (
              <li key={exercise.id}>
                <button
                  className="gpc-Exercise"
                  title={trans.__('Open the cell of exercise %1', exercise.id)}
                  onClick={run(CommandIDs.openLesson, { link: exercise.id })}
                >
                  <span
                    className="gpc-ExerciseState"
                    data-state={exercise.state}
                    role="img"
                    aria-label={stateWords(exercise.state)}
                  >
                    {stateSign(exercise.state)}
                  </span>
                  <span>
                    {exercise.id} {exercise.title}
                    <span className="gpc-Reason">{traces(exercise)}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {questions.total > 0 && (
            <p>{trans.__('Quiz: %1 of %2 right', questions.done, questions.total)}</p>
          )}
          {cards.total > 0 && <p>{trans.__('Cards: %1 of %2 due', cards.done, cards.total)}</p>}
          <div className="gpc-Buttons">
            {lesson.has_recall && (
              <button
                className="gpc-Button"
                title={trans.__(
                  'The notebook without its text: can you explain it in your own words?'
                )}
                aria-label={trans.__('Recall copy of lesson %1', id)}
                onClick={run(CommandIDs.openRecall, { lesson: id })}
              >
                {trans.__('Recall copy')}
              </button>
            )}
            {lesson.notebook !== null && (
              <button
                className="gpc-Button"
                title={trans.__('Get a fresh copy; your current one is kept next to it')}
                aria-label={trans.__('Start lesson %1 over', id)}
                onClick={run(CommandIDs.resetLesson, { lesson: id })}
              >
                {trans.__('Start over…')}
              </button>
            )}
          </div>
        </div>
      )}
    </li>
  );
}

/** One mark per exercise; the same is said in words beside it. */
function Steps({ exercises }: { readonly exercises: readonly LessonExercise[] }): JSX.Element {
  return (
    <span className="gpc-Lesson-steps" aria-hidden="true">
      {exercises.map(exercise => (
        <span key={exercise.id} data-state={exercise.state} />
      ))}
    </span>
  );
}

/** How a learner got this far: checks, hints, the solution. */
function traces(exercise: LessonExercise): string {
  const parts = [
    exercise.attempts > 0 && trans._n('%1 check', '%1 checks', exercise.attempts),
    exercise.hints > 0 && trans._n('%1 hint', '%1 hints', exercise.hints),
    exercise.solution_seen && trans.__('solution seen')
  ].filter(part => part !== false);
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`;
}
