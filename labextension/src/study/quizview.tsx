import type { ReactNode } from 'react';

import {
  explanationOf,
  feedbackOn,
  rightOptions,
  type Answer,
  isAnswered,
  isRight
} from './marking';
import { Markdown, OpenLink, useOutputContext } from './outputcontext';
import { trans } from '../translation';
import type { IQuestion, IQuizPayload } from './payload';
import { h, useId, useEffect, useRef, useState } from '../jsx';
import { Mark } from './checkview';

interface IQuestionProps {
  readonly question: IQuestion;
  readonly number: number;
  readonly total: number;
  readonly answer: Answer;
  readonly onAnswer: (answer: Answer) => void;
  /** What is shown about the answer: nothing yet, what was chosen, or everything. */
  readonly told: 'nothing' | 'chosen' | 'all';
  readonly isRight: boolean;
  readonly children?: ReactNode;
}

/** One question with its options or its entry, and what is to be said about the answer. */
function QuestionView(props: IQuestionProps): JSX.Element {
  const { question, number, total, told, isRight, children } = props;
  const id = useId();
  const explanation = told === 'all' ? explanationOf(question) : null;
  const isChoice = question.type === 'choice' || question.type === 'several';
  return (
    <div
      className="gpc-Question"
      role="group"
      aria-labelledby={`${id}-number ${id}-stem`}
      data-told={told}
      data-right={told === 'nothing' ? undefined : isRight}
    >
      <p className="gpc-Question-number" id={`${id}-number`}>
        {trans.__('Question %1 of %2', number, total)}
        {question.type === 'several' && <span>{trans.__('select all that apply')}</span>}
      </p>
      <div id={`${id}-stem`}>
        <Markdown source={question.stem} />
        {question.code !== null && <Markdown source={fenced(question.code)} />}
      </div>
      {isChoice ? <Options {...props} name={id} /> : <Entry {...props} name={id} />}
      {children}
      {explanation !== null && <Markdown source={explanation} className="gpc-Question-why" />}
      {told === 'all' && (
        <OpenLink link={question.link}>{trans.__('Covered in: %1', question.link)}</OpenLink>
      )}
    </div>
  );
}

function Options(props: IQuestionProps & { readonly name: string }): JSX.Element {
  const { question, answer, onAnswer, told, name } = props;
  const isSeveral = question.type === 'several';
  const right = told === 'all' ? rightOptions(question) : null;
  const choose = (id: string, isChosen: boolean): void => {
    const others = isSeveral ? answer.filter(one => one !== id) : [];
    onAnswer(isChosen ? [...others, id] : others);
  };
  return (
    <div className="gpc-Options">
      {question.options.map(option => {
        const isChosen = answer.includes(option.id);
        const isTold = told === 'all' || (told === 'chosen' && isChosen);
        const why = isTold ? feedbackOn(question, option.id) : null;
        const isOptionRight = right?.includes(option.id) ?? false;
        return (
          <div
            key={option.id}
            className="gpc-Option"
            data-chosen={isChosen}
            data-right={
              right !== null
                ? isOptionRight
                : told === 'chosen' && isChosen && !isSeveral
                  ? props.isRight
                  : undefined
            }
          >
            <label>
              <input
                type={isSeveral ? 'checkbox' : 'radio'}
                name={name}
                checked={isChosen}
                disabled={told === 'all'}
                aria-describedby={why === null ? undefined : `${name}-${option.id}`}
                onChange={event => choose(option.id, event.target.checked)}
              />
              <Markdown source={option.text} />
              {right !== null && (isOptionRight || isChosen) && (
                <Verdict isRight={isOptionRight} isChosen={isChosen} />
              )}
              {told === 'chosen' && isChosen && !isSeveral && (
                <Verdict isRight={props.isRight} isChosen />
              )}
            </label>
            {why !== null && (
              <div id={`${name}-${option.id}`}>
                <Markdown source={why} className="gpc-Option-why" />
              </div>
            )}
          </div>
        );
      })}
      {told === 'all' && right === null && (
        <p className="gpc-Study-quiet">{trans.__('The correct options cannot be read.')}</p>
      )}
    </div>
  );
}

function Verdict(props: { readonly isRight: boolean; readonly isChosen: boolean }): JSX.Element {
  const words = props.isChosen
    ? props.isRight
      ? trans.__('your choice, right')
      : trans.__('your choice, wrong')
    : trans.__('right');
  return (
    <span className="gpc-Option-verdict">
      <Mark isRight={props.isRight} isSilent /> {words}
    </span>
  );
}

function Entry(props: IQuestionProps & { readonly name: string }): JSX.Element {
  const { question, answer, onAnswer, told, name } = props;
  return (
    <div className="gpc-Entry">
      <label htmlFor={`${name}-entry`}>
        {question.type === 'number' ? trans.__('Your number') : trans.__('Your answer')}
      </label>
      <input
        id={`${name}-entry`}
        className="gpc-Input"
        type="text"
        inputMode={question.type === 'number' ? 'decimal' : 'text'}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={answer[0] ?? ''}
        readOnly={told === 'all'}
        onChange={event => onAnswer([event.target.value])}
      />
      {question.unit !== null && <span>{question.unit}</span>}
    </div>
  );
}

/** A block of Python in Markdown, whatever backticks are in it. */
function fenced(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(ticks => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}python\n${code.replace(/\n+$/, '')}\n${fence}`;
}

/** A practice exam: nothing is judged before all of it is handed in. */
export function ExamView({ payload }: { readonly payload: IQuizPayload }): JSX.Element {
  const { report } = useOutputContext();
  const { title, questions } = payload;
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map());
  const [isHandedIn, setHandedIn] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const result = useRef<HTMLParagraphElement>(null);
  const answerTo = (id: string): Answer => answers.get(id) ?? [];
  const open = questions.filter(question => !isAnswered(question, answerTo(question.id)));
  const right = questions.filter(question => isRight(question, answerTo(question.id)));

  useEffect(() => {
    if (isHandedIn) {
      result.current?.focus();
    }
  }, [isHandedIn]);

  const handIn = (): void => {
    if (open.length > 0 && !isAsking) {
      setAsking(true);
      return;
    }
    setHandedIn(true);
    const judged = questions.map(question => [question.id, right.includes(question)]);
    void report([{ kind: 'exam', answers: Object.fromEntries(judged) as Record<string, boolean> }]);
  };
  return (
    <section className="gpc-Study gpc-Quiz gpc-mod-exam" aria-label={title}>
      <header className="gpc-Study-header">
        <h3>{title}</h3>
        <span>
          {isHandedIn
            ? trans.__('%1 of %2 right', right.length, questions.length)
            : trans.__('%1 of %2 answered', questions.length - open.length, questions.length)}
        </span>
      </header>
      {isHandedIn && (
        <p ref={result} tabIndex={-1} role="status" className="gpc-Exam-result">
          <strong>{trans.__('%1 of %2 right.', right.length, questions.length)}</strong>{' '}
          {right.length === questions.length
            ? trans.__('All correct.')
            : trans.__('The answers are explained below.')}
        </p>
      )}
      {questions.map((question, place) => (
        <QuestionView
          key={question.id}
          question={question}
          number={place + 1}
          total={questions.length}
          answer={answerTo(question.id)}
          onAnswer={answer => {
            setAsking(false);
            setAnswers(before => new Map(before).set(question.id, answer));
          }}
          told={isHandedIn ? 'all' : 'nothing'}
          isRight={right.includes(question)}
        >
          {isHandedIn && (
            <p className="gpc-Verdict" data-stage={right.includes(question) ? 'right' : 'wrong'}>
              {right.includes(question)
                ? trans.__('✓ Correct.')
                : open.includes(question)
                  ? trans.__('✗ Not answered.')
                  : trans.__('✗ Incorrect.')}
            </p>
          )}
        </QuestionView>
      ))}
      {!isHandedIn && (
        <footer className="gpc-Study-buttons">
          <button className="gpc-Button gpc-mod-accept gpc-mod-big" onClick={handIn}>
            {isAsking ? trans.__('Submit anyway') : trans.__('Submit')}
          </button>
          <span role="status">
            {isAsking &&
              trans._n(
                '%1 question has no answer yet.',
                '%1 questions have no answer yet.',
                open.length
              )}
          </span>
        </footer>
      )}
    </section>
  );
}

/** Questions one below the other; each is judged as soon as the learner wants it. */
export function PracticeView({ payload }: { readonly payload: IQuizPayload }): JSX.Element {
  const { title, questions } = payload;
  const [solved, setSolved] = useState<ReadonlySet<string>>(new Set());
  return (
    <section className="gpc-Study gpc-Quiz" aria-label={title}>
      <header className="gpc-Study-header">
        <h3>{title}</h3>
        <span>{trans.__('%1 of %2 right', solved.size, questions.length)}</span>
      </header>
      {questions.map((question, place) => (
        <PracticeQuestion
          key={question.id}
          question={question}
          number={place + 1}
          total={questions.length}
          onSolved={() => setSolved(before => new Set([...before, question.id]))}
        />
      ))}
    </section>
  );
}

interface IPracticeProps {
  readonly question: IQuestion;
  readonly number: number;
  readonly total: number;
  readonly onSolved: () => void;
}

type Stage = 'asking' | 'wrong' | 'right' | 'shown';

function PracticeQuestion({ question, number, total, onSolved }: IPracticeProps): JSX.Element {
  const { report } = useOutputContext();
  const [answer, setAnswer] = useState<Answer>([]);
  const [stage, setStage] = useState<Stage>('asking');
  const [hasTried, setHasTried] = useState(false);
  const isOver = stage === 'right' || stage === 'shown';

  const change = (chosen: Answer): void => {
    setAnswer(chosen);
    setStage('asking');
  };
  const check = (): void => {
    if (!isAnswered(question, answer)) {
      return;
    }
    const right = isRight(question, answer);
    setStage(right ? 'right' : 'wrong');
    setHasTried(true);
    void report([{ kind: 'question', id: question.id, right }]);
    if (right) {
      onSolved();
    }
  };
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        check();
      }}
      onKeyDown={event => {
        // A page may keep Enter in a text field from sending the form; JupyterLab does.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
          event.preventDefault();
          if (!isOver && stage !== 'wrong') {
            check();
          }
        }
      }}
    >
      <QuestionView
        question={question}
        number={number}
        total={total}
        answer={answer}
        onAnswer={change}
        told={isOver ? 'all' : stage === 'wrong' ? 'chosen' : 'nothing'}
        isRight={stage === 'right'}
      >
        <div className="gpc-Study-buttons">
          {!isOver && (
            <button
              type="submit"
              className="gpc-Button gpc-mod-accept"
              disabled={stage === 'wrong' || !isAnswered(question, answer)}
            >
              {trans.__('Check')}
            </button>
          )}
          {!isOver && hasTried && (
            <button type="button" className="gpc-Button" onClick={() => setStage('shown')}>
              {trans.__('Show the answer')}
            </button>
          )}
          <span role="status" className="gpc-Verdict" data-stage={stage}>
            {stage === 'right' && trans.__('✓ Correct.')}
            {stage === 'wrong' && trans.__('✗ Incorrect. Try again.')}
            {stage === 'shown' && trans.__('This is the answer. Try the question again tomorrow.')}
          </span>
        </div>
      </QuestionView>
    </form>
  );
}
