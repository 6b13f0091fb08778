document.documentElement.dataset.coins = "counted";
