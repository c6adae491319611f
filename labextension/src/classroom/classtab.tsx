import { MainAreaWidget } from '@jupyterlab/apputils';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { Poll } from '@lumino/polling';

import { trans } from '../translation';
import { lessonsIcon } from '../icons';
import type { ILessonStore } from '../lessons/tokens';
import { Fragment, h } from '../jsx';
import type { ClassView, ClassExercise } from '../protocol/messages';
import { Fault, sentenceOf } from '../panel/asking';
import { formatDuration } from '../gauges';
import { stateSign, stateWords } from '../lessons/states';

const EVERY_MS = 10_000;

/** A class as its instructor sees it, as a tab: who is where, and what fails most. */
export class ClassTab extends MainAreaWidget<ClassContent> {
  static readonly ID = 'gpucluster-class';

  constructor(options: ClassTab.IOptions) {
    super({ content: new ClassContent(options) });
    this.id = ClassTab.ID;
    this.addClass('gpc-ClassTab');
    this.toolbar.hide();
    this.title.icon = lessonsIcon;
    this.title.closable = true;
    this.title.label = trans.__('Class');
  }
}

export namespace ClassTab {
  export interface IOptions {
    store: ILessonStore;
  }
}

/** Reads the class now and then, while it is visible. */
class ClassContent extends ReactWidget {
  constructor(private readonly _options: ClassTab.IOptions) {
    super();
    this.addClass('gpc-Class');
    this._poll = new Poll({
      factory: () => this._read(),
      frequency: { interval: EVERY_MS, backoff: true, max: 60_000 },
      standby: () => document.hidden || !this.isVisible
    });
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._poll.dispose();
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    return (
      <>
        <Fault error={this._fault} />
        {this._view === null ? (
          this._fault === null && <p role="status">{trans.__('Loading…')}</p>
        ) : (
          <ClassTables view={this._view} />
        )}
      </>
    );
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    void this._poll.refresh();
  }

  private async _read(): Promise<void> {
    try {
      this._view = await this._options.store.classView();
      this._fault = null;
    } catch (error) {
      this._fault = sentenceOf(error);
    }
    if (!this.isDisposed) {
      this.update();
    }
  }

  private readonly _poll: Poll;
  private _view: ClassView | null = null;
  private _fault: string | null = null;
}

interface IClassProps {
  readonly view: ClassView;
}

/** What fails most, then who is where. */
export function ClassTables({ view }: IClassProps): JSX.Element {
  const { learners, exercises, problems, folder } = view;
  return (
    <>
      <header>
        <h2>
          {trans._n('%1 learner shares progress', '%1 learners share progress', learners.length)}
        </h2>
        <p className="gpc-Study-quiet">{trans.__('Folder: %1', folder)}</p>
      </header>
      {problems.length > 0 && (
        <ul className="gpc-Class-problems" role="status">
          {problems.map(problem => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {learners.length === 0 ? (
        <p>
          {trans.__(
            'No shared progress yet. To share theirs, learners run this command in a terminal:'
          )}{' '}
          <code>{`gpucluster lessons share ${folder}`}</code>
        </p>
      ) : (
        <>
          <Exercises exercises={exercises} total={learners.length} />
          <Learners view={view} />
        </>
      )}
    </>
  );
}

interface IExercisesProps {
  readonly exercises: readonly ClassExercise[];
  readonly total: number;
}

function Exercises({ exercises, total }: IExercisesProps): JSX.Element {
  const worst = [...exercises].sort((one, other) => other.stuck - one.stuck);
  return (
    <table className="gpc-Class-table">
      <caption>{trans.__('Exercises, by number of stuck learners')}</caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('Exercise')}</th>
          <th scope="col">{trans.__('Learners')}</th>
          <th scope="col">{trans.__('Checks')}</th>
          <th scope="col">{trans.__('Hints')}</th>
          <th scope="col">{trans.__('Solution seen')}</th>
          <th scope="col">{trans.__('Most failed checks')}</th>
        </tr>
      </thead>
      <tbody>
        {worst.map(exercise => (
          <tr key={exercise.id}>
            <th scope="row">
              {exercise.id} {exercise.title}
            </th>
            <td>
              <Shares exercise={exercise} total={total} />
            </td>
            <td className="gpc-mod-number">{exercise.attempts}</td>
            <td className="gpc-mod-number">{exercise.hints}</td>
            <td className="gpc-mod-number">{exercise.solutions}</td>
            <td>
              {exercise.failing.length === 0 ? (
                '–'
              ) : (
                <ul>
                  {exercise.failing.slice(0, 3).map(one => (
                    <li key={one.property}>
                      {one.property}{' '}
                      <span className="gpc-Study-quiet">
                        ({trans._n('%1 learner', '%1 learners', one.learners)})
                      </span>
                    </li>
                  ))}
                </ul>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How many have passed, are stuck, have not started: as a bar and in words. */
function Shares(props: { readonly exercise: ClassExercise; readonly total: number }): JSX.Element {
  const { exercise, total } = props;
  const width = (count: number): { width: string } => ({ width: `${(100 * count) / total}%` });
  return (
    <>
      <span>
        {trans.__('%1 passed', exercise.passed)}
        {exercise.stuck > 0 && `, ${trans.__('%1 stuck', exercise.stuck)}`}
      </span>
      <span className="gpc-Class-bar" aria-hidden="true">
        <span data-state="passed" style={width(exercise.passed)} />
        <span data-state="failed" style={width(exercise.stuck)} />
      </span>
    </>
  );
}

function Learners({ view }: IClassProps): JSX.Element {
  const readAt = Date.parse(view.read_at);
  return (
    <table className="gpc-Class-table">
      <caption>{trans.__('Learners')}</caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('Name')}</th>
          <th scope="col">{trans.__('Current exercise')}</th>
          <th scope="col">{trans.__('Exercises passed')}</th>
          <th scope="col">{trans.__('Failing')}</th>
          <th scope="col">{trans.__('Last active')}</th>
        </tr>
      </thead>
      <tbody>
        {view.learners.map((learner, place) => (
          <tr key={`${place}-${learner.name}`} data-state={learner.state}>
            <th scope="row">{learner.name}</th>
            <td>
              {learner.exercise === null ? (
                trans.__('not started')
              ) : (
                <span className="gpc-ExerciseState" data-state={learner.state}>
                  <span aria-hidden="true">{stateSign(learner.state)}</span> {learner.exercise}{' '}
                  {stateWords(learner.state)}
                </span>
              )}
            </td>
            <td className="gpc-mod-number">{learner.passed}</td>
            <td>{learner.failing ?? '–'}</td>
            <td className="gpc-mod-number">
              {learner.updated_at === null
                ? '–'
                : trans.__(
                    '%1 ago',
                    formatDuration(Math.max(0, (readAt - Date.parse(learner.updated_at)) / 1000))
                  )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
