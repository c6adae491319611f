import type { CommandRegistry } from '@lumino/commands';
import { caretRightIcon } from '@jupyterlab/ui-components';

import * as CommandIDs from '../actions/commandids';
import { trans } from '../translation';
import { Fault, useAsking } from '../panel/asking';
import type {
  LessonList as Listed,
  LessonStep,
  LessonExercise,
  LessonModel
} from '../protocol/messages';
import type { ILessonStore } from './tokens';
import { stateSign, stateWords } from './states';
import { Fragment, h, useState } from '../jsx';
import { passedOf } from './links';

interface ILessonsProps {
  readonly store: ILessonStore;
  readonly commands: CommandRegistry;
}

/** What to do next, what is weak, and each lesson with its exercises. */
export function LessonList(
  props: ILessonsProps & {
    /** Whether it has its own heading. */
    readonly isTitled: boolean;
  }
): JSX.Element | null {
  const { store, isTitled } = props;
  const { list } = store;
  if (list === null) {
    return null;
  }
  const { exercises } = list.progress;
  return (
    <div className="gpc-Lessons">
      <div className="gpc-Lessons-header">
        {isTitled && <h2>{trans.__('Lessons')}</h2>}
        <span className="gpc-Lessons-count">
          {trans.__('%1 of %2 exercises', exercises.done, exercises.total)}
        </span>
      </div>
      <Content {...props} list={list} />
    </div>
  );
}

/** Of all that, one line: where to continue, and how far one is. */
export function LessonsLine({ store, commands }: ILessonsProps): JSX.Element | null {
  const { list } = store;
  if (list === null) {
    return null;
  }
  const { next, progress } = list;
  const { done, total } = progress.exercises;
  const link = next?.link ?? null;
  return (
    <p className="gpc-LessonsLine">
      {link !== null && (
        <>
          <button
            className="gpc-OpenLink"
            title={next?.title}
            onClick={() => void commands.execute(CommandIDs.openLesson, { link })}
          >
            {progress.exists
              ? trans.__('Continue lesson %1', link)
              : trans.__('Start lesson %1', link)}
          </button>
          {' · '}
        </>
      )}
      <button
        className="gpc-OpenLink"
        title={trans.__('Show all lessons')}
        onClick={() => void commands.execute(CommandIDs.openLessons)}
      >
        {link === null
          ? trans.__('Lessons: %1 of %2 exercises', done, total)
          : trans.__('%1 of %2 exercises', done, total)}
      </button>
    </p>
  );
}

interface IContentProps {
  readonly list: Listed;
  readonly store: ILessonStore;
  readonly commands: CommandRegistry;
}

function Content({ list, store, commands }: IContentProps): JSX.Element {
  const asking = useAsking();
  const open = (link: string): void => void commands.execute(CommandIDs.openLesson, { link });
  const isMissing = list.lessons.some(lesson => lesson.notebook === null);
  const { progress } = list;
  return (
    <>
      {progress.message !== null && (
        <p className="gpc-Notice" role="status">
          {progress.message}
        </p>
      )}
      {list.next !== null && <NextStep step={list.next} onOpen={open} />}
      <p className="gpc-Lessons-summary">
        {trans.__('Quiz: %1 of %2 right', progress.questions.done, progress.questions.total)}
        {' · '}
        {trans._n('%1 card due', '%1 cards due', progress.cards.done)}
      </p>
      {list.advice.length > 0 && (
        <details className="gpc-Details">
          <summary>{trans.__('Review (%1)', list.advice.length)}</summary>
          <ul className="gpc-AdviceList">
            {list.advice.map(step => (
              <li key={step.link + step.title}>
                <button className="gpc-OpenLink" onClick={() => open(step.link)}>
                  {step.title}
                </button>
                <p className="gpc-Reason">{step.why}</p>
                {step.exercise !== null && (
                  <button
                    className="gpc-OpenLink"
                    onClick={() => step.exercise !== null && open(step.exercise)}
                  >
                    {trans.__('Exercise: %1', titleOf(list, step.exercise))}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      <ul className="gpc-LessonList" aria-label={trans.__('Lessons')}>
        {list.lessons.map(lesson => (
          <LessonRow
            key={lesson.id}
            lesson={lesson}
            isNext={list.next?.link.startsWith(lesson.id) === true}
            commands={commands}
          />
        ))}
      </ul>
      <div className="gpc-Buttons">
        {isMissing && (
          <button
            className="gpc-Button"
            disabled={asking.busy !== null}
            title={trans.__('Copy the notebooks that you do not have yet to %1', list.folder)}
            onClick={() => void asking.run('copy', () => store.copy())}
          >
            {trans.__('Copy all lessons')}
          </button>
        )}
        {list.has_class && (
          <button
            className="gpc-Button"
            onClick={() => void commands.execute(CommandIDs.openClass)}
          >
            {trans.__('Class')}
          </button>
        )}
        {progress.exists && (
          <button
            className="gpc-Button"
            title={trans.__('Delete everything in %1', progress.path)}
            onClick={() => void commands.execute(CommandIDs.deleteProgress)}
          >
            {trans.__('Delete my progress…')}
          </button>
        )}
      </div>
      <Fault error={asking.error} />
      <p className="gpc-Reason">
        {progress.shared_as === null
          ? trans.__('Your progress is stored in %1 and is not shared.', progress.path)
          : trans.__('The class sees your progress as “%1”.', progress.shared_as)}
      </p>
    </>
  );
}

/** What an exercise is called; its number where no lesson has it. */
function titleOf(list: Listed, exercise: string): string {
  const all = list.lessons.flatMap(lesson => lesson.exercises);
  return all.find(({ id }) => id === exercise)?.title ?? exercise;
}

interface INextProps {
  readonly step: LessonStep;
  readonly onOpen: (link: string) => void;
}

function NextStep({ step, onOpen }: INextProps): JSX.Element {
  return (
    <div className="gpc-NextStep">
      <p className="gpc-NextStep-title">
        <span>{trans.__('Next:')}</span>{' '}
        <button
          className="gpc-OpenLink"
          title={trans.__('Open %1', step.link)}
          onClick={() => onOpen(step.link)}
        >
          {step.title}
        </button>
      </p>
      <p className="gpc-Reason">{step.why}</p>
    </div>
  );
}

interface ILessonRowProps {
  readonly lesson: LessonModel;
  readonly isNext: boolean;
  readonly commands: CommandRegistry;
}

/** One lesson: a line, and behind it what it is about, its exercises and what can be done with it. */
function LessonRow({ lesson, isNext, commands }: ILessonRowProps): JSX.Element {
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
