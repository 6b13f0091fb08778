"""Operations: tuning of the garbage collector, measurement of event-loop lag."""
