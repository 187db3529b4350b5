# src/ktlb_cpu.c: the limit is the default whatever ktlb_config.costs says
# unit: cover and costs
s/ktlb_strides(config->costs,/ktlb_strides((struct ktlb_costs){0, 0, 0},/
