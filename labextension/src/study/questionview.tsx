import type { ReactNode } from 'react';

import { h, useId } from '../jsx';
import { Mark } from './findings';
import { explanationOf, feedbackOn, rightOptions, type Answer } from './marking';
import type { IQuestion } from './payload';
import { Markdown, OpenLink } from './outputcontext';
import { trans } from '../translation';

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
export function QuestionView(props: IQuestionProps): JSX.Element {
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
