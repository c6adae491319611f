import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import * as CommandIDs from '../actions/commandids';
import { Fragment, h } from '../jsx';
import { sentenceOf, useAsking } from '../panel/asking';
import type { LessonList, LessonStep } from '../protocol/messages';
import { LessonRow } from './lessonrow';
import type { ILessonStore } from './tokens';

interface ILessonsProps {
  readonly store: ILessonStore;
  readonly commands: CommandRegistry;
  readonly trans: TranslationBundle;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** The lessons in the panel: what to do next, what is weak, and each lesson with its exercises. */
export function LessonsSection(props: ILessonsProps): JSX.Element | null {
  const { store, commands, trans, isOpen, onToggle } = props;
  const { list } = store;
  if (list === null) {
    return null;
  }
  const { exercises } = list.progress;
  return (
    <details
      className="gpc-Lessons"
      open={isOpen}
      onToggle={event => onToggle(event.currentTarget.open)}
    >
      <summary>
        <h2>{trans.__('Lessons')}</h2>
        <span className="gpc-Lessons-count">
          {trans.__('%1 of %2 exercises', exercises.done, exercises.total)}
        </span>
      </summary>
      {isOpen && <Content list={list} store={store} commands={commands} trans={trans} />}
    </details>
  );
}

interface IContentProps {
  readonly list: LessonList;
  readonly store: ILessonStore;
  readonly commands: CommandRegistry;
  readonly trans: TranslationBundle;
}

function Content({ list, store, commands, trans }: IContentProps): JSX.Element {
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
      {list.next !== null && <NextStep step={list.next} onOpen={open} trans={trans} />}
      <p className="gpc-Lessons-summary">
        {trans.__('Quiz: %1 of %2 right', progress.questions.done, progress.questions.total)}
        {' · '}
        {trans._n('%1 card due', '%1 cards due', progress.cards.done)}
      </p>
      {list.advice.length > 0 && (
        <details className="gpc-Details">
          <summary>{trans.__('What to look at again (%1)', list.advice.length)}</summary>
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
            trans={trans}
          />
        ))}
      </ul>
      <div className="gpc-Buttons">
        {isMissing && (
          <button
            className="gpc-Button"
            disabled={asking.busy !== null}
            title={trans.__('Copy the notebooks that you do not have yet into %1', list.folder)}
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
            title={trans.__('Forget everything in %1', progress.path)}
            onClick={() => void commands.execute(CommandIDs.deleteProgress)}
          >
            {trans.__('Delete my progress…')}
          </button>
        )}
      </div>
      {asking.error !== null && (
        <p className="gpc-Error" role="alert">
          {sentenceOf(asking.error)}
        </p>
      )}
      <p className="gpc-Reason">
        {progress.shared_as === null
          ? trans.__('Your progress is only in the file %1.', progress.path)
          : trans.__('The class sees your progress as “%1”.', progress.shared_as)}
      </p>
    </>
  );
}

/** What an exercise is called; its number where no lesson has it. */
function titleOf(list: LessonList, exercise: string): string {
  const all = list.lessons.flatMap(lesson => lesson.exercises);
  return all.find(({ id }) => id === exercise)?.title ?? exercise;
}

interface INextProps {
  readonly step: LessonStep;
  readonly onOpen: (link: string) => void;
  readonly trans: TranslationBundle;
}

function NextStep({ step, onOpen, trans }: INextProps): JSX.Element {
  return (
    <div className="gpc-NextStep">
      <button
        className="gpc-Button gpc-mod-accept"
        aria-label={trans.__('Open %1', step.link)}
        onClick={() => onOpen(step.link)}
      >
        {trans.__('Open')}
      </button>
      <div>
        <p className="gpc-NextStep-title">
          <span>{trans.__('Next:')}</span> {step.title}
        </p>
        <p className="gpc-Reason">{step.why}</p>
      </div>
    </div>
  );
}
