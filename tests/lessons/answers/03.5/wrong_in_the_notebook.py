"""Nothing reaches a worker."""


def batched(client, task, numbers):
    def square(number):
        return number * number

    return sum(square(number) for number in numbers)
